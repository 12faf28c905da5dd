import type { Estimate, Seeds } from "../../result/schema.ts";
import { formatCounted, formatDifference, formatLoss, formatPercent } from "../format.ts";
import { variantColumns } from "../matrix/axes.ts";
import type { ComparedResult, ComparedVariant } from "../matrix/column.ts";
import { type Column, figures, type TableSpec, words } from "../spec.ts";

/** An estimate of the repeated trainings. */
type Field = "loss" | "lossDifference" | "accuracy" | "accuracyDifference";

/** Intervals in the order in which a narrow terminal leaves them out. */
const INTERVALS: readonly Field[] = ["accuracy", "loss", "accuracyDifference", "lossDifference"];

/** Returns the table of losses and accuracies over several seeds; without rows if there are none. */
export function seedsTable({ variants, baseline }: ComparedResult): TableSpec<ComparedVariant> {
  const rows = variants.filter(({ seeds }) => seeds !== null && seeds.runs.length > 0);
  const several = variants.length > 1;
  const accuracies = rows.some(({ seeds }) => seeds!.accuracy !== null);
  const [first] = rows;
  return {
    title: `Losses${accuracies ? " and accuracies" : ""} over several seeds`,
    columns: [
      ...variantColumns(variants),
      ...estimate("loss", ["loss"], "loss", formatLoss),
      ...several ? estimate("loss difference", ["loss", "diff."], "lossDifference", formatDifference, baseline) : [],
      ...accuracies ? estimate("accuracy", ["acc.", "%"], "accuracy", formatPercent) : [],
      ...accuracies && several
        ? estimate("accuracy difference", ["acc.", "diff. %"], "accuracyDifference", signedPercent, baseline)
        : [],
    ],
    rows,
    notes: first === undefined ? [] : notesOf(first.seeds!, several),
  };
}

function notesOf({ runs, steps, window }: Seeds, several: boolean): string[] {
  const seeds = runs.map(({ seed }) => seed);
  return [
    `mean over ${formatCounted(seeds.length, "training")} of ${formatCounted(steps, "step")}, seeds ${seeds[0]} to ` +
    `${seeds.at(-1)}; loss: mean of the last ${formatCounted(window, "step")}`,
    "intervals: 95 %, Student's t over seeds",
    ...several ? ["diff.: from the baseline's training with the same seed, paired by seed"] : [],
  ];
}

/** Returns the columns of an estimate and of its interval; empty for the baseline's differences. */
function estimate(
  name: string,
  heading: readonly string[],
  field: Field,
  format: (value: number) => string,
  baseline: string | null = null,
): Column<ComparedVariant>[] {
  const percent = field.startsWith("accuracy");
  const valueOf = (estimate: Estimate | null) => estimate && (percent ? 100 : 1) * estimate.value;
  const of = ({ name, seeds }: ComparedVariant): Estimate | null => name === baseline ? null : seeds?.[field] ?? null;
  return [
    {
      ...figures<ComparedVariant>(name, () => null, { heading }),
      ...percent ? { unit: "%" } : {},
      value: (variant) => variant.name === baseline ? "" : valueOf(of(variant)),
      text: (variant) => variant.name === baseline ? "" : format(of(variant)!.value),
    },
    words(`${name} interval`, (variant) => variant.name === baseline ? "" : intervalText(of(variant), format), {
      heading: ["interval"],
      align: "right",
      dropFirst: INTERVALS.indexOf(field),
      sort: (variant) => of(variant)?.low ?? null,
    }),
  ];
}

function intervalText(estimate: Estimate | null, format: (value: number) => string): string | null {
  if (estimate === null || estimate.low === null || estimate.high === null) return null;
  return `${format(estimate.low)} to ${format(estimate.high)}`;
}

function signedPercent(value: number): string {
  return value > 0 ? `+${formatPercent(value)}` : formatPercent(value);
}
