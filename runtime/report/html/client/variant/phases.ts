/// <reference lib="dom" />
import type { PhaseSplit } from "../../../../result/profile.ts";
import { phasesTable } from "../../../profile/phases.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { el, swatch } from "../dom.ts";
import { numberText, percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { type Content, tableContent } from "../section.ts";

/** Returns the section of phases, divided into ops and residual time. */
export function phasesSection({ overview, variant }: VariantContext): Content {
  const phases = variant.profile?.phases ?? [];
  if (phases.length === 0) {
    return notProfiled(variant) ?? untimed(overview) ?? "no phase was timed";
  }
  const whole = phases.reduce((sum, { interval }) => sum + Math.max(0, interval), 0);
  const spec = phasesTable(variant);
  const cells = {
    phase: ({ phase }: PhaseSplit, text: string) => el("span", { class: "name" }, swatch(phaseColor(phase)), text),
  };
  return {
    about: spec.title,
    content: [bar(phases, whole), ...tableContent(spec, { cells })],
  };
}

function bar(phases: readonly PhaseSplit[], whole: number): HTMLElement | null {
  if (whole <= 0) return null;
  const text = phases.map(({ phase, interval }) => `${phase} ${percentText(interval / whole)}`).join(", ");
  return el(
    "div",
    { class: "bar", role: "img", "aria-label": text },
    ...phases.map(({ phase, interval }) => {
      const part = el("span", {}, interval / whole > 0.08 ? `${phase} ${numberText(interval)} ms` : "");
      part.style.setProperty("--color", `var(${phaseColor(phase)})`);
      part.style.flexGrow = String(Math.max(0, interval / whole));
      return part;
    }),
  );
}
