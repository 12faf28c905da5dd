import type { Effect, Result } from "../../result/schema.ts";
import { formatCounted, formatInterval, formatProbability, formatRatio } from "../format.ts";
import { type Column, figures, type TableSpec, words } from "../spec.ts";

/** Corrected p-values below this are significant. */
const SIGNIFICANCE = 0.05;

/** Rows above which interactions are shown only if they are significant. */
const MAX_ROWS = 20;

/** Returns the table of the effect of each setting of a sweep, alone and in interaction with others. */
export function effectsTable({ effects }: Pick<Result, "effects">): TableSpec<Effect> {
  const rows = effects.length <= MAX_ROWS
    ? effects
    : effects.filter((effect) => !isInteraction(effect) || isSignificant(effect));
  const hidden = effects.length - rows.length;
  return {
    title: "Effects of settings, over all combinations",
    columns: COLUMNS,
    rows,
    notes: [
      "ratio: change of speed when the setting goes from the first value to the second",
      ...rows.some(isInteraction)
        ? ["a + b: interaction, the gain of both settings beyond their separate gains; ×1.00: none"]
        : [],
      ...correction(effects),
      ...hidden > 0 ? [`not shown: ${hidden} more interactions that are not significant`] : [],
    ],
  };
}

/** Describes the correction of p, which is joint for effects of equally many settings. */
function correction(effects: readonly Effect[]): string[] {
  if (effects.length < 2) return [];
  const families = [...Map.groupBy(effects, ({ factors }) => factors.length)].map(([settings, { length }]) =>
    `${length} of ${formatCounted(settings, "setting")}`
  );
  return [`p: corrected for the number of effects, ${families.join(", ")}`];
}

function isInteraction({ factors }: Effect): boolean {
  return factors.length > 1;
}

function isSignificant({ p, adjustedP }: Effect): boolean {
  return (adjustedP ?? p ?? 1) < SIGNIFICANCE;
}

const COLUMNS: readonly Column<Effect>[] = [
  words("setting", ({ factors }) => {
    return factors.map(({ setting, from, to }) => `${setting} ${from} -> ${to}`).join(" + ");
  }, { cut: true }),
  figures("ratio", ({ ratio }) => ratio.value, {
    format: formatRatio,
    tone: (effect) => isSignificant(effect) ? effect.ratio.value > 1 ? "good" : "bad" : null,
  }),
  words("interval", ({ ratio: { low, high } }) => low === null || high === null ? null : formatInterval(low, high), {
    align: "right",
    sort: ({ ratio }) => ratio.low,
  }),
  figures("p", ({ p, adjustedP }) => adjustedP ?? p, { format: formatProbability, dropFirst: 1 }),
];
