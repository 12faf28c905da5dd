/// <reference lib="dom" />
import { formatCount, MISSING } from "../../../format.ts";
import type { Difference } from "../../../differences.ts";
import type { VariantContext } from "../context.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText } from "../numbers.ts";
import { facts, type Section } from "../section.ts";
import { createTable } from "../table.ts";

/** What sets the variant apart, and its whole configuration. */
export function settingsSection({ overview, variant, words: { apart } }: VariantContext): Section {
  const { config, metrics, parameters, planFingerprint, overflows, target } = variant;
  return {
    anchor: "settings",
    title: "Settings",
    content: [
      apart.length === 0 ? null : differenceTable(apart, overview.baseline),
      facts([
        ["Parameters", parameters === null ? `${MISSING} no model` : formatCount(parameters)],
        ["Plan", planFingerprint === null ? MISSING : el("code", {}, planFingerprint)],
        ["Set-up", `${numberText(metrics.setup?.value)} ms`],
        ["First step", `${numberText(metrics.firstStep?.value)} ms`],
        ["Skipped by loss scaling", overflows === null ? `${MISSING} no loss scaling` : `${overflows} steps`],
        ["To the target", target === null ? `${MISSING} the scenario names no target` : targetText(target)],
      ]),
      el(
        "details",
        { class: "data" },
        el("summary", {}, "Whole configuration"),
        el(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": "Configuration" },
          el("pre", {}, JSON.stringify(config, null, 2)),
        ),
      ),
    ],
  };
}

function differenceTable(rows: readonly Difference[], baseline: string): HTMLElement {
  const plain = (value: string | null) => value === null ? "unset" : nameText(value.replace(/^"(.*)"$/, "$1"), 200);
  return createTable<Difference>({
    caption: `Differences from ${nameText(baseline, 60)}`,
    columns: [
      { title: "setting", align: "left", breakable: true, value: ({ path }) => nameText(path) },
      { title: nameText(baseline, 40), align: "left", value: ({ from }) => plain(from) },
      { title: "here", align: "left", value: ({ to }) => plain(to) },
    ],
    rows,
  }).element;
}

function targetText({ metric, threshold, seeds, time }: NonNullable<VariantContext["variant"]["target"]>): string {
  const reached = seeds.filter(({ steps }) => steps !== null).length;
  const mean = time === null ? "" : `, ${numberText(time.value / 1000)} s`;
  return `${metric} ${threshold}: reached with ${reached} of ${seeds.length} seeds${mean}`;
}
