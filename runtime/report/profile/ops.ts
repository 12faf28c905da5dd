import { type Grouping, groupOps, type OpGroup, rate } from "../../analysis/op_groups.ts";
import { type SortColumn, sortGroups, sortOps } from "../../analysis/op_order.ts";
import type { OpRecord, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { type DataColumn, nameWidth, type Page, renderSection } from "../page.ts";
import { nameText, printable } from "../plain_text.ts";
import { formatBytes, formatFlops, formatTensors } from "../quantities.ts";
import { residuals, trustLines } from "./trust.ts";

/** Where an op stands against the adapter's own peaks. */
export interface Roof {
  /** Part of what the adapter could do, from 0 to 1. */
  readonly share: number;
  readonly bound: "compute" | "memory";
}

export interface OpsOptions {
  sort: SortColumn;
  /** Ops to show; null for all. */
  top: number | null;
  groupBy: readonly Grouping[];
  /** By the op's id, where peaks were measured. */
  roofs?: ReadonlyMap<string, Roof>;
}

/** Columns that stand beside the name of an op, with the gaps between them. */
const OTHER_COLUMNS = 78;

/** Types and kernels are cut here in the words below an op. */
const LONGEST_WORD = 60;

/** Every op with all that is known of it: numbers in a line, words below. */
export function renderOps(page: Page, variant: VariantResult, { sort, top, roofs }: OpsOptions): string[] {
  const sorted = sortOps(variant.ops, sort);
  const rows = top === null ? sorted : sorted.slice(0, top);
  const [unit, scale] = timeUnit(rows.map((op) => op.mean));
  const width = nameWidth(page, OTHER_COLUMNS);
  const time = (name: "total" | "mean" | "min" | "max", dropFirst?: number) =>
    number<OpRecord>(name, [name, unit], (op) => op[name] === null ? null : op[name] * scale, dropFirst);
  const columns: DataColumn<OpRecord>[] = [
    { name: "op", heading: ["op"], align: "left", cell: (op) => nameText(op.name, width) },
    { name: "calls", heading: ["calls"], align: "right", dropFirst: 6, cell: calls },
    time("total", 5),
    time("mean"),
    time("min", 3),
    time("max", 4),
    share((op) => op.share),
    number("GFLOP/s", ["GFLOP", "/s"], (op) => rate(op.flops, op.mean), 8),
    number("GB/s", ["GB", "/s"], (op) => rate(op.bytes, op.mean), 7),
    number("pipeline set-up", ["make", "ms"], (op) => op.setup.pipeline, 1),
    number("first dispatch", ["first", "ms"], (op) => op.setup.firstDispatch, 2),
  ];
  if (roofs !== undefined) columns.splice(9, 0, roof(roofs));
  const shown = rows.length < sorted.length ? `the first ${rows.length} of ${sorted.length}` : `${sorted.length}`;
  const order = sort === "order" ? "in the order of the step" : `by ${sort}`;
  const sums = residuals(variant);
  return renderSection(page, {
    title: `Ops: ${shown} ${order}; of ${profiledSteps(variant)}`,
    columns,
    rows,
    under: (op) => describe(op, width, roofs),
    notes: [
      "make, first: set-up of the op, that is making its pipelines and its first run by itself",
      ...(sums === null ? [] : [sums]),
      ...trustLines(variant, "ops"),
    ],
  });
}

/** Ops added up by type, layer, phase or kernel, a table for each. */
export function renderGroups(page: Page, variant: VariantResult, { groupBy, sort, top }: OpsOptions): string[][] {
  return groupBy.map((by) => {
    const groups = sortGroups(groupOps(variant.ops, by), sort);
    const rows = top === null ? groups : groups.slice(0, top);
    const shown = rows.length < groups.length ? `, ${rows.length} of ${groups.length}` : "";
    return renderSection(page, {
      title: `Ops by ${by}${shown}: of ${profiledSteps(variant)}`,
      columns: groupColumns(page, by, rows, sort),
      rows,
      notes: [
        ...(by === "layer" ? ["a layer holds what is under it: its figures contain theirs"] : []),
        ...trustLines(variant, "ops"),
      ],
    });
  });
}

function groupColumns(page: Page, by: Grouping, rows: readonly OpGroup[], sort: SortColumn): DataColumn<OpGroup>[] {
  const [unit, scale] = timeUnit(rows.map((group) => group.perStep));
  const width = nameWidth(page, OTHER_COLUMNS - 20);
  const indent = (group: OpGroup) => sort === "order" ? "  ".repeat(group.depth) : "";
  const scaled = (value: number | null) => value === null ? null : value * scale;
  return [
    {
      name: by,
      heading: [by],
      align: "left",
      cell: (group) => indent(group) + (nameText(group.name, width) || `(no ${by})`),
    },
    { name: "ops", heading: ["ops"], align: "right", dropFirst: 2, cell: ({ ops }) => String(ops) },
    { name: "calls", heading: ["calls"], align: "right", dropFirst: 1, cell: calls },
    number("total", ["total", unit], ({ total }) => scaled(total), 3),
    number("time of a step", ["a step", unit], ({ perStep }) => scaled(perStep)),
    share((group) => group.share),
    number("GFLOP/s", ["GFLOP", "/s"], ({ gflops }) => gflops, 5),
    number("GB/s", ["GB", "/s"], ({ gbps }) => gbps, 4),
  ];
}

function number<T>(
  name: string,
  heading: string[],
  value: (row: T) => number | null,
  dropFirst?: number,
): DataColumn<T> {
  return {
    name,
    heading,
    align: "right",
    ...(dropFirst === undefined ? {} : { dropFirst }),
    cell: (row) => {
      const known = value(row);
      return known === null ? null : known === 0 ? "0" : formatNumber(known);
    },
  };
}

function share<T>(value: (row: T) => number | null): DataColumn<T> {
  return {
    name: "share",
    heading: ["share", "%"],
    align: "right",
    cell: (row) => {
      const known = value(row);
      return known === null ? null : formatPercent(known);
    },
  };
}

function roof(roofs: ReadonlyMap<string, Roof>): DataColumn<OpRecord> {
  return {
    name: "share of the roofline",
    heading: ["roof", "%"],
    align: "right",
    dropFirst: 9,
    cell: ({ id }) => {
      const place = roofs.get(id);
      return place === undefined ? null : formatPercent(place.share);
    },
  };
}

/** What an op is: `forward · conv2d · f32 · 32x3x32x32 16x3x3x3 -> 32x16x32x32 · ...`. */
function describe(op: OpRecord, width: number, roofs: OpsOptions["roofs"]): string {
  const name = printable(op.name);
  const parts = [
    nameText(op.name, width) === name ? null : nameText(op.name, 2 * width + 40),
    op.phase,
    nameText(op.type, LONGEST_WORD),
    nameText(op.dtype, LONGEST_WORD),
    op.inputs.length + op.outputs.length === 0
      ? null
      : `${formatTensors(op.inputs, op.dtype)} -> ${formatTensors(op.outputs, op.dtype)}`,
    nameText(op.kernel, LONGEST_WORD),
    op.inPlace ? "in place" : null,
    op.members.length === 0 ? null : `fuses ${op.members.map((member) => nameText(member, LONGEST_WORD)).join(", ")}`,
    op.flops === null ? null : formatFlops(op.flops),
    op.bytes === null ? null : formatBytes(op.bytes),
    op.dispatches === 1 ? null : `${op.dispatches} dispatches`,
    roofs?.has(op.id) ? `${roofs.get(op.id)!.bound}-bound` : null,
  ];
  return parts.filter((part) => part !== null).map(printable).join(" · ");
}

/** None of an op that ran but was not timed. */
function calls({ calls }: { readonly calls: number }): string | null {
  return calls === 0 ? null : String(calls);
}

/** Milliseconds, or microseconds where all of the times are short. */
function timeUnit(means: readonly (number | null)[]): [unit: string, scale: number] {
  const longest = means.reduce<number>((most, mean) => Math.max(most, mean ?? 0), 0);
  return longest > 0 && longest < 1 ? ["us", 1000] : ["ms", 1];
}

function profiledSteps({ profile }: VariantResult): string {
  return profile === null ? "profiled steps" : `${profile.steps} profiled step${profile.steps === 1 ? "" : "s"}`;
}
