import { dispatchesOf, groupOps, type OpGroup, totalOf } from "../../analysis/op_groups.ts";
import { derivedSeries, phaseSeries, type Spread, spreadOf, stepSeries } from "../../analysis/step_statistics.ts";
import { phaseValues } from "../../record/phases.ts";
import type { VariantResult } from "../../result/schema.ts";
import { MISSING } from "../format.ts";
import { droppedNote, type Page } from "../page.ts";
import { nameText } from "../plain_text.ts";
import { type ColumnOf, measured } from "./columns.ts";
import { renamedOps } from "./names.ts";
import type { DialectRenderer } from "./renderer.ts";
import { textWidth } from "../text_width.ts";

const PERF_WIDTH = 100;
const CPU = "CPU Total / Avg / Max / Min / Ratio(%)";
const GPU = "GPU Total / Avg / Max / Min / Ratio(%)";

/** Renders the output of Paddle's profiler: the perf summary in seconds, then overview, model, operators and kernels. */
export const renderPaddle: DialectRenderer = (variant, page) => {
  const tables = [overview(variant, page), model(variant, page), operators(variant, page), kernels(variant, page)];
  const dropped = [...new Set(tables.flatMap((table) => table.dropped))];
  return {
    lines: [...perfSummary(variant), ...tables.flatMap(({ lines }) => ["", ...lines])],
    notes: [
      "perf, overview and model summaries show measured steps; operators, kernels and their GPU times show profiled ones",
      "GPU means the device, even if it is a CPU",
      ...droppedNote(page, dropped),
    ],
  };
};

function perfSummary({ blocks, metrics }: VariantResult): string[] {
  const [reader, batch] = [stepSeries(blocks, "readerCost").spread, stepSeries(blocks, "batchCost").spread];
  const speeds = spreadOf(
    blocks.flatMap(({ samples, steps }) =>
      steps.flatMap(({ batchCost }) =>
        batchCost !== null && batchCost > 0 ? samples / steps.length / batchCost * 1000 : []
      )
    ),
  );
  const ratio = reader === null || batch === null || batch.total <= 0
    ? MISSING
    : (reader.total / batch.total * 100).toFixed(3);
  const seconds = (spread: Spread | null) =>
    spread === null ? [null, null, null] : [spread.mean / 1000, spread.max / 1000, spread.min / 1000];
  return [
    centred("Perf Summary", PERF_WIDTH, "="),
    `Reader Ratio: ${ratio}%`,
    `Time Unit: s, IPS Unit: ${nameText(metrics.ips?.unit ?? "samples/s", 40)}`,
    perfRow(["", "avg", "max", "min"]),
    perfRow(["reader_cost", ...seconds(reader).map(fixed)]),
    perfRow(["batch_cost", ...seconds(batch).map(fixed)]),
    perfRow(["ips", ...[metrics.ips?.value ?? null, speeds?.max ?? null, speeds?.min ?? null].map(fixed)]),
  ];
}

function overview(variant: VariantResult, page: Page) {
  const { blocks, ops, profile } = variant;
  const [batch, reader] = [stepSeries(blocks, "batchCost").spread, stepSeries(blocks, "readerCost").spread];
  const row = (column: ColumnOf<"paddle">, name: string, calls: string, spread: Spread | null): string[] => {
    const known = measured("paddle", column, spread);
    const part = known === null || batch === null ? MISSING : (known.total / batch.total * 100).toFixed(2);
    return [name, calls, known === null ? MISSING : known.total.toFixed(2), part];
  };
  const count = (calls: number | undefined) => calls === undefined ? MISSING : String(calls);
  const phaseCalls = (phase: string) => count(phaseSeries(blocks, phase).spread?.count);
  const kernels = dispatchesOf(ops);
  const kernel = totalOf(kernels);
  const dispatches = kernels.reduce((sum, { calls }) => sum + calls, 0);
  const copies = profile === null
    ? undefined
    : profile.transfers.hostToDevice.count + profile.transfers.deviceToHost.count;
  const headings = ["Event Type", "Calls", "CPU Time", "Ratio (%)"];
  return paddleTable(page, "Overview Summary", headings.map((heading) => ({ heading, width: 25 })), [
    row("Overview CPU Time ProfileStep", "ProfileStep", count(batch?.count), batch),
    row("Overview CPU Time Operator", "  Operator", calls({ calls: ops.reduce((sum, op) => sum + op.calls, 0) }), null),
    row("Overview CPU Time Forward", "  Forward", phaseCalls("forward"), null),
    row("Overview CPU Time Backward", "  Backward", phaseCalls("backward"), null),
    row("Overview CPU Time Optimization", "  Optimization", phaseCalls("update"), null),
    row("Overview CPU Time Dataloader", "  Dataloader", count(reader?.count), reader),
    { again: ["", "Calls", "GPU Time", "Ratio (%)"] },
    ["  Kernel", calls({ calls: dispatches }), kernel === null ? MISSING : kernel.toFixed(2), MISSING],
    ["  Memcpy", count(copies), MISSING, MISSING],
  ]);
}

function model({ blocks }: VariantResult, page: Page) {
  const [batch, reader] = [stepSeries(blocks, "batchCost").spread, stepSeries(blocks, "readerCost").spread];
  const device = derivedSeries(blocks, (step) => {
    const phases = phaseValues(step);
    return phases.length === 0 ? null : phases.reduce((sum, time) => sum + time);
  }).spread;
  const calls = String(batch?.count ?? MISSING);
  const phase = (name: "Forward" | "Backward" | "Optimization", phase: string): string[] => {
    const spread = phaseSeries(blocks, phase).spread;
    const gpu = measured("paddle", `Model GPU ${name}`, spread);
    return [`  ${name}`, String(spread?.count ?? MISSING), five(null, null), five(gpu, partOf(gpu, device))];
  };
  return paddleTable(page, "Model Summary", [
    { heading: "Name", width: 15 },
    { heading: "Calls", width: 6, dropFirst: 1 },
    { heading: CPU, width: 40, dropFirst: 2 },
    { heading: GPU, width: 40 },
  ], [
    ["ProfileStep", calls, five(batch, partOf(batch, batch)), five(device, partOf(device, device))],
    ["  Dataloader", calls, five(reader, partOf(reader, batch)), five(null, null)],
    phase("Forward", "forward"),
    phase("Backward", "backward"),
    phase("Optimization", "update"),
    ["  Others", MISSING, five(null, null), five(null, null)],
  ]);
}

function operators(variant: VariantResult, page: Page) {
  const ops = renamedOps("paddle", variant.ops);
  const whole = totalOf(ops);
  const byType = Map.groupBy(ops, (op) => op.type);
  const rows = groupOps(ops, "type").flatMap((group): PaddleRow[] => [
    [nameText(group.name, 50), calls(group), five(null, null), ofGroup(group, whole)],
    ...groupOps(byType.get(group.name)!, "kernel").map((kernel) => [
      `    ${nameText(kernel.name, 46)}`,
      calls(kernel),
      five(null, null),
      ofGroup(kernel, whole),
    ]),
  ]);
  const columns: PaddleColumn[] = [
    { heading: "Name", width: 52 },
    { heading: "Calls", width: 6, dropFirst: 2 },
    { heading: CPU, width: 40, dropFirst: 1 },
    { heading: GPU, width: 40 },
  ];
  return paddleTable(page, "Operator Summary", columns, [{ across: "Thread: All threads merged" }, ...rows]);
}

function kernels({ ops }: VariantResult, page: Page) {
  const whole = totalOf(dispatchesOf(ops));
  return paddleTable(page, "Kernel Summary", [
    { heading: "Name", width: 90 },
    { heading: "Calls", width: 6, dropFirst: 1 },
    { heading: GPU, width: 40 },
  ], groupOps(ops, "kernel").map((group) => [nameText(group.name, 90), calls(group), ofGroup(group, whole)]));
}

/** Formats calls; `–` for ops that were not timed. */
function calls({ calls }: Pick<OpGroup, "calls">): string {
  return calls === 0 ? MISSING : String(calls);
}

/** Formats the times of a group. As in Paddle, the average and the ratio are of total times. */
function ofGroup({ total, calls, min, max }: OpGroup, whole: number | null): string {
  return slashed([
    total,
    total === null || calls === 0 ? null : total / calls,
    max,
    min,
    total === null || whole === null || whole <= 0 ? null : total / whole * 100,
  ]);
}

function five(spread: Spread | null, percent: number | null): string {
  return slashed([spread?.total ?? null, spread?.mean ?? null, spread?.max ?? null, spread?.min ?? null, percent]);
}

function slashed(values: readonly (number | null)[]): string {
  return values.map((value) => value === null ? MISSING : value.toFixed(2)).join(" / ");
}

function partOf(part: Spread | null, whole: Spread | null): number | null {
  return part === null || whole === null || whole.total <= 0 ? null : part.total / whole.total * 100;
}

function fixed(value: number | null): string {
  return value === null ? MISSING : value.toFixed(5);
}

function perfRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => centred(cell, 15, " ")).join(" | ")} |`;
}

/** Centres text as Python's `str.center`. */
function centred(text: string, width: number, sign: string): string {
  const margin = Math.max(0, width - text.length);
  const before = Math.floor(margin / 2) + (margin & width & 1);
  return sign.repeat(before) + text + sign.repeat(margin - before);
}

/** Column of Paddle's tables, at least `width` wide where that fits. */
interface PaddleColumn {
  heading: string;
  width: number;
  /** Order in which columns are dropped when the table is too wide, lowest first; columns without one stay. */
  dropFirst?: number;
}

/** Row of cells, a second heading in the middle, or text across the table. */
type PaddleRow = readonly string[] | { again: readonly string[] } | { across: string };

const GAP = "  ";

/**
 * Renders a table in the layout of Paddle's profiler: the title in dashes, left-aligned cells, rules of dashes. In a
 * terminal, columns shrink to their contents or are left out to fit.
 */
function paddleTable(
  page: Page,
  title: string,
  columns: readonly PaddleColumn[],
  rows: readonly PaddleRow[],
): { lines: string[]; dropped: string[] } {
  const cellsOf = (row: PaddleRow) => "across" in row ? [] : "again" in row ? row.again : row;
  const content = columns.map(({ heading }, i) =>
    rows.reduce((most, row) => Math.max(most, textWidth(cellsOf(row)[i] ?? "")), textWidth(heading))
  );
  const total = (kept: readonly number[], widths: readonly number[]) =>
    kept.reduce((sum, i) => sum + widths[i]!, 0) + GAP.length * (kept.length - 1);
  let kept = columns.map((_, i) => i);
  let widths = columns.map(({ width }, i) => Math.max(width, content[i]!));
  const dropped: string[] = [];
  if (page.drop && total(kept, widths) > page.columns) {
    widths = content;
    while (total(kept, widths) > page.columns) {
      const first = kept.filter((i) => columns[i]!.dropFirst !== undefined)
        .toSorted((a, b) => columns[a]!.dropFirst! - columns[b]!.dropFirst!)[0];
      if (first === undefined) break;
      kept = kept.filter((i) => i !== first);
      dropped.push(columns[first]!.heading);
    }
  }
  const length = total(kept, widths);
  const line = (cells: readonly string[]) => kept.map((i) => pad(cells[i] ?? "", widths[i]!)).join(GAP).trimEnd();
  const rule = kept.map((i) => "-".repeat(widths[i]!)).join(GAP);
  const body = rows.flatMap((row) =>
    "across" in row ? [centre(row.across, length)] : "again" in row ? [rule, line(row.again), rule] : [line(row)]
  );
  const headings = columns.map(({ heading }) => heading);
  return { lines: [centre(title, length), "Time unit: ms", rule, line(headings), rule, ...body, rule], dropped };
}

/** Centres text in dashes, the odd one at the end. */
function centre(text: string, width: number): string {
  const dashes = Math.max(0, width - textWidth(text));
  const before = Math.floor(dashes / 2);
  return "-".repeat(before) + text + "-".repeat(dashes - before);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
