import { groupOps, type OpGroup, totalOf } from "../../analysis/op_groups.ts";
import { sortOps } from "../../analysis/op_order.ts";
import { spreadOf } from "../../analysis/step_statistics.ts";
import { allReduceTime } from "../../record/all_reduce.ts";
import { phaseValues } from "../../record/phases.ts";
import type { OpRecord, StepRecord, VariantResult } from "../../result/schema.ts";
import { type Page, renderSection } from "../page.ts";
import type { Column } from "../spec.ts";
import type { ColumnOf } from "./columns.ts";
import { count, label, number } from "./mindinsight_columns.ts";
import { dataPreparation, hostOperators } from "./mindinsight_host.ts";
import { opName, renamedOps } from "./names.ts";
import type { DialectRenderer } from "./renderer.ts";

/**
 * Renders MindInsight's output: the step trace in ms with averages, the operators by type and in detail in us, those of the host,
 * and the queues of data preparation.
 */
export const renderMindInsight: DialectRenderer = (variant, page) => {
  const parts = [
    stepTrace(page, variant),
    byType(page, variant),
    inDetail(page, variant),
    hostOperators(page, variant),
    dataPreparation(page, variant),
  ];
  return {
    lines: parts.filter((lines) => lines.length > 0).flatMap((lines, i) => i === 0 ? lines : ["", ...lines]),
    notes: [
      ...variant.blocks.some(({ steps }) => steps.some(({ points }) => points !== undefined))
        ? ["points are on the device's clock, since the first step of a block began"]
        : [],
      "the step trace shows measured steps, operators show profiled ones; an operator's time is that of its kernels",
    ],
  };
};

/** Times of a step in ms; `step` is null in the row of averages. */
interface TraceRow {
  readonly step: number | null;
  readonly iterationGap: number | null;
  readonly propagation: number | null;
  /** Average of the gradients over ranks; null on one rank. */
  readonly allReduce: number | null;
  readonly tail: number | null;
  readonly total: number | null;
  /** Points on the device's clock; a step starts where the one before it ends. */
  readonly start: number | null;
  readonly forward: number | null;
  readonly backward: number | null;
  readonly end: number | null;
}

function stepTrace(page: Page, { blocks }: VariantResult): string[] {
  const rows = blocks.flatMap((block) => block.steps.map(traceRow));
  const average = (key: "iterationGap" | "propagation" | "allReduce" | "tail") =>
    spreadOf(rows.map((row) => row[key]).filter((time) => time !== null))?.mean ?? null;
  const last: TraceRow = {
    step: null,
    iterationGap: average("iterationGap"),
    propagation: average("propagation"),
    allReduce: average("allReduce"),
    tail: average("tail"),
    total: sum(average("iterationGap"), average("propagation"), average("allReduce"), average("tail")),
    start: null,
    forward: null,
    backward: null,
    end: null,
  };
  const time = (column: ColumnOf<"mindinsight">, value: (row: TraceRow) => number | null, dropFirst?: number) =>
    number(column, `${column}(ms)`, value, 4, dropFirst);
  const columns: Column<TraceRow>[] = [
    label("step_num", ({ step }) => step === null ? "-" : String(step), { align: "right" }),
    time("start_point", (row) => row.start, 1),
    time("end_point", (row) => row.end, 2),
    time("total", (row) => row.total),
    time("fp_point", (row) => row.forward, 3),
    time("bp_point", (row) => row.backward, 4),
    time("iteration_interval", (row) => row.iterationGap),
    time("fp_and_bp", (row) => row.propagation),
    ...rows.some(({ allReduce }) => allReduce !== null) ? [time("all_reduce", (row) => row.allReduce)] : [],
    time("tail", (row) => row.tail),
  ];
  return renderSection(page, { title: "Step Trace", columns, rows: rows.length === 0 ? [] : [...rows, last] });
}

/** Returns a step's row; the tail is everything after the propagation. */
function traceRow(step: StepRecord): TraceRow {
  const { index, iterationGap, forward, backward, points } = step;
  const propagation = forward === null ? null : forward + (backward ?? 0);
  const rest = phaseValues({ ...step, forward: null, backward: null });
  const update = rest.length === 0 ? null : rest.reduce((sum, time) => sum + time);
  const allReduce = step.allReduce === undefined ? null : allReduceTime(step.allReduce);
  const total = sum(iterationGap, propagation, allReduce, update);
  return {
    step: index,
    iterationGap,
    propagation,
    allReduce,
    tail: update,
    total,
    start: points === undefined ? null : points.begin - (iterationGap ?? 0),
    forward: points?.begin ?? null,
    backward: points?.propagated ?? null,
    end: points?.end ?? null,
  };
}

/** Returns the sum of a step's parts; a step may have no all-reduce and no tail. */
function sum(
  iterationGap: number | null,
  propagation: number | null,
  allReduce: number | null,
  tail: number | null,
): number | null {
  if (propagation === null || iterationGap === null) return null;
  return iterationGap + propagation + (allReduce ?? 0) + (tail ?? 0);
}

function byType(page: Page, { ops }: VariantResult): string[] {
  const columns: Column<OpGroup>[] = [
    label("op_type", ({ name }) => name, { beside: 78 }),
    label("type_occurrences", ({ calls }) => count(calls), { align: "right" }),
    number("total_time", "total_time(us)", ({ total }) => total === null ? null : total * 1000),
    number("total_proportion", "total_proportion", proportionOf(ops), 6),
    number(
      "avg_time",
      "avg_time(us)",
      ({ total, calls }) => total === null || calls === 0 ? null : total / calls * 1000,
    ),
  ];
  return renderSection(page, {
    title: "Operator Statistics by Type",
    columns,
    rows: groupOps(renamedOps("mindinsight", ops), "type"),
  });
}

function inDetail(page: Page, { ops }: VariantResult): string[] {
  const total = ({ total }: OpRecord) => total === null ? null : total * 1000;
  const columns: Column<OpRecord>[] = [
    label("op_side", () => "Device", { dropFirst: 1 }),
    label("op_type", (op) => opName("mindinsight", op), { most: 32 }),
    label("op_name", ({ name }) => name.split(/[./]/).at(-1)!, { dropFirst: 2, most: 32 }),
    label("op_full_name", ({ id }) => id, { beside: 70 }),
    label("op_occurrences", ({ calls }) => count(calls), { align: "right", dropFirst: 5 }),
    number("op_total_time", "op_total_time(us)", total, 3, 6),
    number("op_avg_time", "op_avg_time(us)", ({ mean }) => mean === null ? null : mean * 1000),
    number("total_proportion", "total_proportion", proportionOf(ops), 6, 7),
    number("cuda_activity_cost_time", "cuda_activity_cost_time(us)", total, 3, 3),
    label("cuda_activity_call_count", ({ kernels }) => count(kernels.reduce((sum, { calls }) => sum + calls, 0)), {
      align: "right",
      dropFirst: 4,
    }),
  ];
  return renderSection(page, { title: "Operator Statistics in Detail", columns, rows: sortOps(ops, "mean") });
}

/** Returns the function from a row to its fraction of the time of all calls. */
function proportionOf(ops: readonly OpRecord[]): (row: { readonly total: number | null }) => number | null {
  const whole = totalOf(ops);
  return ({ total }) => total === null || whole === null || whole <= 0 ? null : total / whole;
}
