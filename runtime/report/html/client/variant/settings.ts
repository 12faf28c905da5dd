/// <reference lib="dom" />
import { formatCount, formatCounted, MISSING } from "../../../format.ts";
import { differencesTable } from "../../../differences.ts";
import type { VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { numberText } from "../numbers.ts";
import { type Content, facts, notes, tableContent } from "../section.ts";
import { createTable } from "../table.ts";
import { deviceSentences, resultSentences } from "../../../attach/sentences.ts";
import { attachTables } from "../../../attach/tables.ts";
import { attachedOf, profiledPrograms } from "../../../programs/attached.ts";

/** Returns the section of the variant's settings: differences from the baseline, facts, and the configuration. */
export function settingsSection({ overview: { variants, baseline }, variant }: VariantContext): Content {
  const { config, metrics, parameters, planFingerprint, overflows, target } = variant;
  const reference = variants.find(({ name }) => name === baseline)?.config ?? config;
  const apart = differencesTable(config, reference, baseline);
  return [
    apart.rows.length === 0 ? null : createTable(apart).element,
    facts([
      ["Parameters", parameters === null ? `${MISSING} no model` : formatCount(parameters)],
      ["Plan", planFingerprint === null ? MISSING : el("code", {}, planFingerprint)],
      ["Set-up", `${numberText(metrics.setup?.value)} ms`],
      ["First step", `${numberText(metrics.firstStep?.value)} ms`],
      [
        "Skipped by loss scaling",
        overflows === null ? `${MISSING} no loss scaling` : formatCounted(overflows, "step"),
      ],
      ["Time to target", target === null ? `${MISSING} the scenario sets no target` : targetText(target)],
    ]),
    el(
      "details",
      { class: "data" },
      el("summary", {}, "Full configuration"),
      el(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Configuration" },
        el("pre", {}, JSON.stringify(config, null, 2)),
      ),
    ),
  ];
}

function targetText({ metric, threshold, seeds, time }: NonNullable<VariantContext["variant"]["target"]>): string {
  const reached = seeds.filter(({ steps }) => steps !== null).length;
  const mean = time === null ? "" : `, ${numberText(time.value / 1000)} s`;
  return `${metric} ${threshold}: reached with ${reached} of ${seeds.length} seeds${mean}`;
}

/** Rows of a table that are shown at first. */
const LIMIT = 200;

/** Returns the section of a program's profile: the account of a step, kernels, calls, memory, pipelines and errors. */
export function programSection({ variant }: VariantContext): Content {
  const [program] = profiledPrograms({ variants: [variant] });
  if (program === undefined) {
    const attached = attachedOf(variant);
    return attached === null ? "not profiled" : resultSentences(attached).join("; ");
  }
  const { device } = program;
  return [
    notes(deviceSentences(device)),
    ...attachTables(device, device.kernels.length)
      .flatMap((spec) => [el("h4", {}, spec.title), ...tableContent(spec, { limit: LIMIT })]),
  ];
}
