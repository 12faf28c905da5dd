/// <reference lib="dom" />
import { MISSING } from "../../../format.ts";
import type { Overview, VariantOverview } from "../../embedded.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import { estimateText } from "../numbers.ts";
import { hrefOf } from "../route.ts";

/** The answer in a sentence: which variant is fastest, as far as that is sure. */
export function summary(overview: Overview): HTMLElement | null {
  const { variants, baseline } = overview;
  const others = variants.filter(({ name }) => name !== baseline);
  if (others.length === 0) return null;
  const link = ({ name }: VariantOverview) =>
    el("a", { href: hrefOf({ variant: name, anchor: "steps" }) }, nameText(name, 60));
  const faster = others.filter(({ verdict }) => verdict === "faster").toSorted((a, b) => speedup(b) - speedup(a));
  const best = faster[0];
  if (best !== undefined) {
    const { value, low, high } = best.comparison?.speedup ?? { value: speedup(best), low: null, high: null };
    const also = faster.length === 1 ? "" : `; ${faster.length - 1} more faster than the baseline`;
    return el(
      "p",
      { class: "summary" },
      link(best),
      ` is ×${estimateText(value, low, high)} as fast as ${nameText(baseline, 60)}${also}.`,
    );
  }
  if (others.some(({ verdict }) => verdict !== null)) {
    return el("p", { class: "summary" }, `No variant is faster than ${nameText(baseline, 60)} beyond doubt.`);
  }
  return el("p", { class: "summary" }, `${MISSING} no verdict: the blocks of this run were not compared.`);
}

function speedup({ comparison, metrics }: VariantOverview): number {
  return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
}
