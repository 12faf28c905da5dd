import type { OpRecord } from "../result/schema.ts";
import { type OpGroup, rate, setupOf } from "./op_groups.ts";

type Value = string | number | null;

/** Columns that ops can be sorted by. `order` is the order of execution. */
const COLUMNS = {
  order: () => null,
  name: (op) => op.name,
  type: (op) => op.type,
  layer: (op) => op.layer,
  phase: (op) => op.phase,
  kernel: (op) => op.kernel,
  calls: (op) => op.calls,
  total: (op) => op.total,
  median: (op) => op.median,
  mean: (op) => op.mean,
  min: (op) => op.min,
  max: (op) => op.max,
  share: (op) => op.share,
  flops: (op) => op.flops,
  bytes: (op) => op.bytes,
  gflops: (op) => rate(op.flops, op.median),
  gbps: (op) => rate(op.bytes, op.median),
  setup: setupOf,
} as const satisfies Record<string, (op: OpRecord) => Value>;

export type SortColumn = keyof typeof COLUMNS;

export const SORT_COLUMNS = Object.keys(COLUMNS) as readonly SortColumn[];

const GROUP_COLUMNS: Partial<Record<SortColumn, (group: OpGroup) => Value>> = {
  name: (group) => group.name,
  calls: (group) => group.calls,
  total: (group) => group.total,
  median: (group) => group.perStep,
  mean: (group) => group.mean,
  min: (group) => group.min,
  max: (group) => group.max,
  share: (group) => group.share,
  flops: (group) => group.flops,
  bytes: (group) => group.bytes,
  gflops: (group) => group.gflops,
  gbps: (group) => group.gbps,
};

/** Sorts ops by a column: strings alphabetically, numbers in descending order, null last. */
export function sortOps(ops: readonly OpRecord[], by: SortColumn): OpRecord[] {
  return sorted(ops, COLUMNS[by]);
}

/** Sorts groups by a column; keeps their order if groups lack it. */
export function sortGroups(groups: readonly OpGroup[], by: SortColumn): OpGroup[] {
  const value = GROUP_COLUMNS[by];
  return value === undefined ? [...groups] : sorted(groups, value);
}

function sorted<T>(rows: readonly T[], valueOf: (row: T) => Value): T[] {
  return rows.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
    if (typeof x === "number" && typeof y === "number") return y - x;
    return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
  });
}
