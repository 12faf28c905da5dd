import { rate } from "../../analysis/op_groups.ts";
import type { OpRecord, Result, VariantResult } from "../../result/schema.ts";
import { renderCsv } from "../csv.ts";
import { MISSING } from "../format.ts";
import type { Value } from "../spec.ts";
import { nncEntries, type NncEntry } from "../nnc_entries.ts";
import { formatTensors } from "../quantities.ts";

/** Columns of `profile.csv`; the first four are those of the log of Sony's Neural Network Console. */
const COLUMNS: Readonly<Record<string, (entry: NncEntry, variant: VariantResult) => Value>> = {
  function: (entry) => entry.function,
  layer: (entry) => entry.layer,
  type: (entry) => entry.type,
  ms: (entry) => entry.ms,
  variant: (_, { name }) => name,
  clock: ({ clock, ms }) => ms === null ? null : clock,
  in_place: ({ inPlace, ops }) => ops.length === 0 ? null : inPlace ? "yes" : "no",
  recomputed: ({ ops }) => ops.length === 0 ? null : ops.some((op) => op.recomputed === true) ? "yes" : "no",
  ops: ({ ops }) => joined(ops, (op) => op.id),
  phase: ({ ops }) => joined(ops, (op) => op.phase),
  scope: ({ ops }) => joined(ops, (op) => op.layer),
  kernel: ({ ops }) => joined(ops, (op) => op.kernel),
  members: ({ ops }) => joined(ops, (op) => op.members.join(" ")),
  inputs: ({ ops }) => joined(ops, (op) => formatTensors(op.inputs, op.dtype)),
  outputs: ({ ops }) => joined(ops, (op) => formatTensors(op.outputs, op.dtype)),
  dtype: ({ ops }) => joined(ops, (op) => op.dtype),
  calls: ({ ops }) => same(ops.filter((op) => op.calls > 0).map((op) => op.calls)),
  dispatches: ({ ops }) => sum(ops, (op) => op.dispatches),
  dispatch_kernels: ({ ops }) => joined(ops, (op) => op.kernels.map(({ name }) => name).join(" ")),
  dispatch_median_ms: ({ ops }) => joined(ops, (op) => op.kernels.map(({ median }) => median ?? MISSING).join(" ")),
  total_ms: ({ ops }) => sum(ops, (op) => op.total),
  median_ms: ({ ops }) => only(ops, (op) => op.median),
  min_ms: ({ ops }) => only(ops, (op) => op.min),
  max_ms: ({ ops }) => only(ops, (op) => op.max),
  share: ({ ops }) => sum(ops, (op) => op.share),
  flops: ({ ops }) => sum(ops, (op) => op.flops),
  bytes: ({ ops }) => sum(ops, (op) => op.bytes),
  gflops_per_s: ({ ops }) => rate(sum(ops, (op) => op.flops), sum(ops, (op) => op.median)),
  gb_per_s: ({ ops }) => rate(sum(ops, (op) => op.bytes), sum(ops, (op) => op.median)),
  pipeline_ms: ({ ops }) => sum(ops, (op) => op.setup.pipeline),
  first_dispatch_ms: ({ ops }) => sum(ops, (op) => op.setup.firstDispatch),
};

/** Renders one row for each line of every variant's NNC log; a field is empty where nothing was measured. */
export function renderProfileCsv({ variants }: Result): string {
  const columns = Object.values(COLUMNS);
  const rows = variants.filter(({ blocks, ops }) => blocks.length > 0 || ops.length > 0).flatMap((variant) =>
    nncEntries(variant).map((entry) => columns.map((value) => value(entry, variant)))
  );
  return renderCsv([Object.keys(COLUMNS), ...rows]);
}

/** Returns the value that all ops share, or each op's value, separated by `; `. */
function joined(ops: readonly OpRecord[], value: (op: OpRecord) => string): Value {
  const texts = ops.map(value);
  return texts.length === 0 ? null : new Set(texts).size === 1 ? texts[0]! : texts.join("; ");
}

/** Returns the value that all share, or null. */
function same(values: readonly number[]): number | null {
  return new Set(values).size === 1 ? values[0]! : null;
}

/** Returns the value of a row's only op; null for rows of several ops. */
function only(ops: readonly OpRecord[], value: (op: OpRecord) => number | null): number | null {
  return ops.length === 1 ? value(ops[0]!) : null;
}

/** Returns the sum over ops; null without ops, or where a value is missing. */
function sum(ops: readonly OpRecord[], value: (op: OpRecord) => number | null): number | null {
  return ops.reduce<number | null>((sum, op, i) => {
    const own = value(op);
    return own === null || (sum === null && i > 0) ? null : (sum ?? 0) + own;
  }, null);
}
