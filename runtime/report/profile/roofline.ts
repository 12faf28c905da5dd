import { rate } from "../../analysis/op_groups.ts";
import { placeOp } from "../../analysis/roofline.ts";
import type { OpRecord, Placement, Roofline, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { peaksLine } from "../peaks.ts";
import { figures, percentages, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

/** Width of the columns beside the op's name, with their gaps. */
const OTHER_COLUMNS = 56;

/** Op with its position under the roofline. */
export interface PlacedOp {
  readonly op: OpRecord;
  readonly placement: Placement;
  /** Time of a call beyond what the roof allows, in ms. */
  readonly lost: number | null;
}

/**
 * Returns the table of ops against the adapter's peaks, those that lose the most time first. It has no rows where no
 * op's work is known.
 *
 * @param top number of ops to show; null for all
 */
export function rooflineTable(
  roofline: Roofline,
  variant: VariantResult,
  top: number | null,
): TableSpec<PlacedOp> {
  const rows = variant.ops.flatMap((op): PlacedOp[] => {
    const placement = placeOp(op, roofline.peaks);
    if (placement === null) return [];
    return [{ op, placement, lost: op.median === null ? null : Math.max(0, op.median - placement.attainableTime) }];
  }).sort((a, b) => (b.lost ?? -1) - (a.lost ?? -1));
  const shown = top === null ? rows : rows.slice(0, top);
  const step = roofline.steps.find(({ variant: name }) => name === variant.name);
  return {
    title: `Roofline: ${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length} ops, by time lost`,
    columns: [
      words("op", ({ op }) => op.name, { beside: OTHER_COLUMNS }),
      words("phase", ({ op }) => op.phase, { dropFirst: 1 }),
      figures("FLOP a byte", ({ placement }) => placement.intensity, { heading: ["FLOP", "/byte"], dropFirst: 2 }),
      words("bound", ({ placement }) => placement.bound),
      figures("GFLOP/s", ({ op }) => rate(op.flops, op.median), {
        heading: ["GFLOP", "/s"],
        dropFirst: 3,
      }),
      figures("attainable GFLOP/s", ({ placement: { attainable } }) => attainable && attainable / 1e9, {
        heading: ["roof", "GFLOP/s"],
        unit: "GFLOP/s",
        dropFirst: 4,
      }),
      percentages("share of the roof", ({ placement }) => placement.share, { heading: ["roof", "%"] }),
      figures("time lost", ({ lost }) => lost, {
        heading: ["lost", "ms"],
        unit: "ms",
        help: "Time of a call beyond what the roof allows",
      }),
    ],
    rows: shown,
    notes: [
      "roof %: share of the performance that the peaks allow; above 100 % where a cache saved memory traffic",
      ...step === undefined ? [] : [describeStep(step)],
      peaksLine(roofline.peaks),
      ...trustLines(variant, "ops"),
    ],
  };
}

function describeStep(step: Roofline["steps"][number]): string {
  const share = (value: number | null) => value === null ? "–" : `${formatPercent(value)} %`;
  const intensity = step.intensity === null ? "" : `${formatNumber(step.intensity)} FLOP/byte, `;
  return `Whole step: ${intensity}${step.bound}-bound, ${share(step.share)} of the roof ` +
    `(${formatNumber(step.attainableTime)} of ${formatNumber(step.time)} ms); ` +
    `${share(step.opShare)} with each op under its own roof`;
}
