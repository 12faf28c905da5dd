import { type Grouping, groupOps, type OpGroup, rate } from "../../analysis/op_groups.ts";
import { type SortColumn, sortGroups, sortOps } from "../../analysis/op_order.ts";
import { roofsOf } from "../../analysis/roofline.ts";
import type { OpRecord, Peaks, VariantResult } from "../../result/schema.ts";
import { formatCounted, formatNumber } from "../format.ts";
import { peaksLine } from "../peaks.ts";
import { formatBytes, formatFlops, formatTensors, timeUnit } from "../quantities.ts";
import { type Column, counts, figures, percentages, type TableSpec, words } from "../spec.ts";
import { residuals, trustLines } from "./trust.ts";

export interface OpsOptions {
  readonly sort: SortColumn;
  /** Number of ops to show; null for all. */
  readonly top: number | null;
  readonly groupBy: readonly Grouping[];
  /** Peaks of the adapter; null if they were not measured. */
  readonly peaks: Peaks | null;
}

type OpOptions = Omit<OpsOptions, "groupBy">;

/** Width of the columns beside the op's name, with their gaps. */
const OTHER_COLUMNS = 86;

/** Returns the table of ops; in a terminal, numbers are in the row and words below it. */
export function opsTable(variant: VariantResult, { sort, top, peaks }: OpOptions): TableSpec<OpRecord> {
  const sorted = sortOps(variant.ops, sort);
  const rows = top === null ? sorted : sorted.slice(0, top);
  const shown = rows.length < sorted.length ? `${rows.length} of ${sorted.length}` : `${sorted.length}`;
  const order = sort === "order" ? "in step order" : `by ${sort}`;
  const sums = residuals(variant);
  return {
    title: `Ops: ${shown} ${order}, over ${profiledSteps(variant)}`,
    columns: opColumns(rows, peaks === null ? null : roofsOf(variant.ops, peaks)),
    rows,
    notes: [
      "make: time to create the pipelines of the op; first: time of its first run, alone",
      ...(sums === null ? [] : [sums]),
      ...decayNotes(variant),
      ...recomputedNotes(variant),
      ...(peaks === null || rows.length === 0 ? [] : [peaksLine(peaks)]),
      ...trustLines(variant, "ops"),
    ],
  };
}

function decayNotes({ profile }: VariantResult): string[] {
  const median = profile?.weightDecay?.median ?? null;
  return median === null ? [] : [
    `weight decay alone: ${
      formatNumber(median)
    } ms, in a separate dispatch after each profiled step; the update includes it`,
  ];
}

/** Returns a line with the time of activations that are computed again; none without any. */
export function recomputedNotes({ ops }: Pick<VariantResult, "ops">): string[] {
  const again = ops.filter(({ recomputed }) => recomputed === true);
  if (again.length === 0) return [];
  const timed = again.every(({ median }) => median !== null);
  const [time, share] = [
    again.reduce((sum, { median }) => sum + (median ?? 0), 0),
    again.reduce((sum, op) => sum + (op.share ?? 0), 0),
  ];
  const cost = timed ? `${formatNumber(time)} ms, ${formatNumber(100 * share)} % of the ops of a step, ` : "";
  return [`recomputed in the backward pass: ${cost}in ${formatCounted(again.length, "op")}`];
}

function opColumns(rows: readonly OpRecord[], roofs: ReturnType<typeof roofsOf> | null): Column<OpRecord>[] {
  const [unit, scale] = timeUnit(rows.map((op) => op.median));
  const time = (name: "total" | "median" | "mean" | "min" | "max", dropFirst?: number) =>
    figure<OpRecord>(name, [name, unit], (op) => op[name] === null ? null : op[name] * scale, dropFirst, unit);
  return [
    words("op", ({ name }) => name, { beside: OTHER_COLUMNS }),
    minor(callsColumn(5)),
    time("median"),
    minor(time("mean", 8)),
    time("max", 10),
    minor(time("min", 3)),
    minor(time("total", 4)),
    percentages("share", (op) => op.share, { heading: ["share", "%"] }),
    figure("GFLOP/s", ["GFLOP", "/s"], (op) => rate(op.flops, op.median), 7),
    figure("GB/s", ["GB", "/s"], (op) => rate(op.bytes, op.median), 6),
    ...roofs === null ? [] : [
      percentages<OpRecord>("share of the roofline", ({ id }) => roofs.get(id)?.share ?? null, {
        heading: ["roof", "%"],
        help: "Share of the performance that the adapter's peaks allow",
        dropFirst: 9,
      }),
    ],
    minor(figure("pipeline set-up", ["make", "ms"], (op) => op.setup.pipeline, 1, "ms")),
    minor(figure("first dispatch", ["first", "ms"], (op) => op.setup.firstDispatch, 2, "ms")),
    below("phase", ({ phase }) => phase),
    minor(below("type", ({ type }) => type)),
    minor(below("dtype", ({ dtype }) => dtype)),
    below("shapes", ({ inputs, outputs, dtype }) => {
      if (inputs.length + outputs.length === 0) return null;
      return `${formatTensors(inputs, dtype)} -> ${formatTensors(outputs, dtype)}`;
    }),
    below("kernel", ({ kernel }) => kernel),
    minor(below("in place", ({ inPlace }) => inPlace ? "yes" : "no", ({ inPlace }) => inPlace ? "in place" : null)),
    minor(below("recomputed", ({ recomputed }) => recomputed === true ? "yes" : null, ({ recomputed }) => {
      return recomputed === true ? "recomputed in the backward pass" : null;
    })),
    below("members", ({ members }) => members.join(", "), ({ members }) => {
      return members.length === 0 ? null : `fuses ${members.join(", ")}`;
    }),
    minor(amount("work", ({ flops }) => flops, formatFlops)),
    minor(amount("bytes", ({ bytes }) => bytes, formatBytes)),
    minor(counts("dispatches", ({ dispatches }) => dispatches, { below: dispatchTimes })),
    ...roofs === null ? [] : [
      below("bound", ({ id }) => roofs.get(id)?.bound ?? null, ({ id }) => {
        const roof = roofs.get(id);
        return roof === undefined ? null : `${roof.bound}-bound`;
      }),
    ],
  ];
}

/** Returns a column that the HTML report shows on request. */
function minor<Row>(column: Column<Row>): Column<Row> {
  return { ...column, minor: true };
}

/** Returns the table of ops summed by type, layer, phase or kernel. */
export function groupTable(
  variant: VariantResult,
  by: Grouping,
  { sort, top }: Pick<OpsOptions, "sort" | "top">,
): TableSpec<OpGroup> {
  const groups = sortGroups(groupOps(variant.ops, by), sort);
  const rows = top === null ? groups : groups.slice(0, top);
  const shown = rows.length < groups.length ? `, ${rows.length} of ${groups.length}` : "";
  const [unit, scale] = timeUnit(rows.map((group) => group.perStep));
  const scaled = (value: number | null) => value === null ? null : value * scale;
  return {
    title: `Ops by ${by}${shown}, over ${profiledSteps(variant)}`,
    columns: [
      words(by, ({ name }) => name || `(no ${by})`, {
        beside: OTHER_COLUMNS - 20,
        depth: ({ depth }) => sort === "order" ? depth : 0,
      }),
      counts("ops", ({ ops }) => ops, { dropFirst: 2 }),
      callsColumn(1),
      figure("time of a step", ["per step", unit], ({ perStep }) => scaled(perStep), undefined, unit),
      figure("mean", ["mean", unit], ({ mean }) => scaled(mean), 6, unit),
      figure("longest call", ["max call", unit], ({ max }) => scaled(max), 7, unit),
      figure("total", ["total", unit], ({ total }) => scaled(total), 3, unit),
      percentages("share", (group) => group.share, { heading: ["share", "%"] }),
      figure("GFLOP/s", ["GFLOP", "/s"], ({ gflops }) => gflops, 5),
      figure("GB/s", ["GB", "/s"], ({ gbps }) => gbps, 4),
    ],
    rows,
    notes: [
      "a step: sum of the ops' medians",
      ...(by === "layer" ? ["figures of a layer include those of the layers within it"] : []),
      ...trustLines(variant, "ops"),
    ],
  };
}

/** Returns the median of each dispatch of an op that has several, and their mean for those of one kernel. */
function dispatchTimes({ dispatches, kernels }: OpRecord): string | null {
  if (dispatches === 1) return null;
  const known = kernels.filter(({ median }) => median !== null);
  if (known.length === 0) return `${dispatches} dispatches`;
  const texts = [...Map.groupBy(known, ({ name }) => name)].map(([name, own]) => {
    const mean = own.reduce((sum, { median }) => sum + median!, 0) / own.length;
    return `${name} ${own.length === 1 ? "" : `${own.length} × `}${formatNumber(mean)} ms`;
  });
  return `${dispatches} dispatches: ${texts.join(", ")}`;
}

function figure<Row>(
  name: string,
  heading: readonly string[],
  value: (row: Row) => number | null,
  dropFirst?: number,
  unit?: string,
): Column<Row> {
  return figures(name, value, {
    heading,
    ...dropFirst === undefined ? {} : { dropFirst },
    ...unit === undefined ? {} : { unit },
    format: (known) => known === 0 ? "0" : formatNumber(known),
  });
}

/** Returns the column of calls, which is empty for ops that were not timed. */
function callsColumn(dropFirst: number): Column<{ readonly calls: number }> {
  return counts("calls", ({ calls }) => calls === 0 ? null : calls, { dropFirst });
}

/** Returns a column of text that a terminal prints below the row: `line`, by default the value. */
function below(
  name: string,
  value: (op: OpRecord) => string | null,
  line: (op: OpRecord) => string | null = value,
): Column<OpRecord> {
  return words(name, value, { below: line });
}

/** Returns a column of numbers whose text includes the unit. */
function amount(
  name: string,
  value: (op: OpRecord) => number | null,
  format: (value: number) => string,
): Column<OpRecord> {
  const text = (op: OpRecord) => {
    const known = value(op);
    return known === null ? null : format(known);
  };
  return figures(name, value, { format, below: text });
}

function profiledSteps({ profile }: VariantResult): string {
  return profile === null ? "profiled steps" : formatCounted(profile.steps, "profiled step");
}
