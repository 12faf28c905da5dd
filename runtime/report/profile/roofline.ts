import { placeOp } from "../../analysis/roofline.ts";
import type { OpRecord, Peak, Placement, Roofline, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { type DataColumn, nameWidth, type Page, quiet, renderSection } from "../page.ts";
import { nameText } from "../plain_text.ts";

/** Columns that stand beside the name of an op, with the gaps between them. */
const OTHER_COLUMNS = 56;

/** An op against its roof. */
interface Row {
  readonly op: OpRecord;
  readonly placement: Placement;
  /** Time of a call over what the roof allows: ms. */
  readonly lost: number | null;
}

/**
 * How far a variant's step and its ops are from what the adapter can do, those first that lose most time. Nothing where
 * no ops were timed.
 *
 * @param top ops to show; null for all
 */
export function renderRoofline(page: Page, roofline: Roofline, variant: VariantResult, top: number | null): string[] {
  const rows = variant.ops.flatMap((op): Row[] => {
    const placement = placeOp(op, roofline.peaks);
    if (placement === null) return [];
    return [{ op, placement, lost: op.mean === null ? null : Math.max(0, op.mean - placement.attainableTime) }];
  }).sort((a, b) => (b.lost ?? -1) - (a.lost ?? -1));
  const shown = top === null ? rows : rows.slice(0, top);
  const lines = renderSection(page, {
    title: `Roofline: ${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length} ops, by time lost`,
    columns: columnsFor(page),
    rows: shown,
    notes: ["roof: what the peaks allow / what was reached; over 100 % where a cache spared bytes that count here"],
  });
  if (lines.length === 0) return [];
  const step = roofline.steps.find(({ variant: name }) => name === variant.name);
  return [...lines, ...step === undefined ? [] : quiet(page, describeStep(step)), ...quiet(page, peaksLine(roofline))];
}

function columnsFor(page: Page): DataColumn<Row>[] {
  const width = nameWidth(page, OTHER_COLUMNS);
  const number = (name: string, heading: string[], value: (row: Row) => number | null, dropFirst?: number) => ({
    name,
    heading,
    align: "right" as const,
    ...(dropFirst === undefined ? {} : { dropFirst }),
    cell: (row: Row) => {
      const known = value(row);
      return known === null ? null : formatNumber(known);
    },
  });
  return [
    { name: "op", heading: ["op"], align: "left", cell: ({ op }) => nameText(op.name, width) },
    { name: "phase", heading: ["phase"], align: "left", dropFirst: 1, cell: ({ op }) => op.phase },
    number("FLOP a byte", ["FLOP", "/byte"], ({ placement }) => placement.intensity, 2),
    { name: "bound", heading: ["bound"], align: "left", cell: ({ placement }) => placement.bound },
    number("GFLOP/s", ["GFLOP", "/s"], ({ op }) => perSecond(op), 3),
    number("attainable GFLOP/s", ["roof", "GFLOP/s"], ({ placement }) => giga(placement.attainable), 4),
    {
      name: "share of the roof",
      heading: ["roof", "%"],
      align: "right",
      cell: ({ placement }) => placement.share === null ? null : formatPercent(placement.share),
    },
    number("time lost", ["lost", "ms"], ({ lost }) => lost),
  ];
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

function perSecond({ flops, mean }: OpRecord): number | null {
  return flops === null || mean === null || mean <= 0 ? null : flops / (mean / 1000) / 1e9;
}

function giga(value: number | null): number | null {
  return value === null ? null : value / 1e9;
}
