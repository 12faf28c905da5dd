import { rate } from "../../analysis/op_groups.ts";
import { placeOp } from "../../analysis/roofline.ts";
import type { OpRecord, Peak, Placement, Roofline, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { figures, percentages, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

/** Columns that stand beside the name of an op, with the gaps between them. */
const OTHER_COLUMNS = 56;

/** An op against its roof. */
export interface PlacedOp {
  readonly op: OpRecord;
  readonly placement: Placement;
  /** Time of a call over what the roof allows: ms. */
  readonly lost: number | null;
}

/**
 * How far a variant's step and its ops are from what the adapter can do, those first that lose most time. Without rows
 * where no op's work is known.
 *
 * @param top ops to show; null for all
 */
export function rooflineTable(
  roofline: Roofline,
  variant: VariantResult,
  top: number | null,
): TableSpec<PlacedOp> {
  const rows = variant.ops.flatMap((op): PlacedOp[] => {
    const placement = placeOp(op, roofline.peaks);
    if (placement === null) return [];
    return [{ op, placement, lost: op.mean === null ? null : Math.max(0, op.mean - placement.attainableTime) }];
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
      figures("GFLOP/s", ({ op }) => rate(op.flops, op.mean), {
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
        help: "Time of a call over what the roof allows",
      }),
    ],
    rows: shown,
    notes: [
      "roof: what the peaks allow / what was reached; over 100 % where a cache spared bytes that count here",
      ...step === undefined ? [] : [describeStep(step)],
      peaksLine(roofline),
      ...trustLines(variant, "ops"),
    ],
  };
}

function describeStep(step: Roofline["steps"][number]): string {
  const share = (value: number | null) => value === null ? "–" : `${formatPercent(value)} %`;
  const intensity = step.intensity === null ? "" : `${formatNumber(step.intensity)} FLOP/byte, `;
  return `The step as a whole: ${intensity}${step.bound}-bound, ${share(step.share)} of the roof ` +
    `(${formatNumber(step.attainableTime)} of ${formatNumber(step.time)} ms); ` +
    `${share(step.opShare)} if each op is held against its own roof`;
}

function peaksLine({ peaks }: Roofline): string {
  const rate = ({ value, unit }: Peak) => `${formatNumber(value / 1e9)} G${unit === "FLOP/s" ? "FLOP/s" : "B/s"}`;
  return `Peaks of this adapter: f32 ${rate(peaks.f32)}, f16 ${peaks.f16 === null ? "–" : rate(peaks.f16)}, copy ` +
    `${rate(peaks.copy)}; measured ${peaks.date.slice(0, 10)} on the ${peaks.clock}'s clock`;
}
