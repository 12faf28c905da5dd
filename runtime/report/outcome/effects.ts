import type { Effect, Result } from "../../result/schema.ts";
import { formatInterval, formatProbability, formatRatio } from "../format.ts";
import { type Column, figures, type TableSpec, words } from "../spec.ts";

/** A corrected p below this counts. */
const SIGNIFICANCE = 0.05;

/** Of more effects, those of several settings are shown only where they are no chance. */
const MOST_ROWS = 20;

/** What each setting of a sweep brings, alone and together with others. */
export function effectsTable({ effects }: Pick<Result, "effects">): TableSpec<Effect> {
  const rows = effects.length <= MOST_ROWS ? effects : effects.filter((effect) => !isJoint(effect) || isSure(effect));
  const hidden = effects.length - rows.length;
  return {
    title: "Effects of the settings, over all combinations",
    columns: COLUMNS,
    rows,
    notes: [
      "ratio: times the speed, of the setting changed from the first value to the second",
      ...rows.some(isJoint)
        ? ["with +: what the settings bring together beyond what each brings alone; ×1.00 is nothing"]
        : [],
      ...correction(effects),
      ...hidden > 0 ? [`not shown: ${hidden} more of settings together, which may be chance`] : [],
    ],
  };
}

/** Effects of as many settings are corrected together. */
function correction(effects: readonly Effect[]): string[] {
  if (effects.length < 2) return [];
  const families = [...Map.groupBy(effects, ({ factors }) => factors.length)].map(([settings, { length }]) =>
    `${length} of ${settings === 1 ? "1 setting" : `${settings} settings together`}`
  );
  return [`p: corrected for the number of effects, ${families.join(", ")}`];
}

function isJoint({ factors }: Effect): boolean {
  return factors.length > 1;
}

function isSure({ p, adjustedP }: Effect): boolean {
  return (adjustedP ?? p ?? 1) < SIGNIFICANCE;
}

const COLUMNS: readonly Column<Effect>[] = [
  words("setting", ({ factors }) => {
    return factors.map(({ setting, from, to }) => `${setting} ${from} -> ${to}`).join(" + ");
  }, { cut: true }),
  figures("ratio", ({ ratio }) => ratio.value, {
    format: formatRatio,
    tone: (effect) => isSure(effect) ? effect.ratio.value > 1 ? "good" : "bad" : null,
  }),
  words("interval", ({ ratio: { low, high } }) => low === null || high === null ? null : formatInterval(low, high), {
    align: "right",
    sort: ({ ratio }) => ratio.low,
  }),
  figures("p", ({ p, adjustedP }) => adjustedP ?? p, { format: formatProbability, dropFirst: 1 }),
];
