/**
 * Tables of a program's device, for every medium.
 *
 * @module
 */
import type {
  AttachedBrowser,
  AttachedDevice,
  KernelResult,
  LargeBuffer,
  Leak,
  PipelineResult,
  ProgramAdvice,
  StepAccount,
} from "../../result/attach_result.ts";
import { type Cause, CAUSES } from "../../record/idle_causes.ts";
import type { TotalName } from "../../attach/records.ts";
import type { Untimed } from "../../record/untimed.ts";
import { formatCounted, formatInterval, formatNumber, formatPercent, MISSING } from "../format.ts";
import { formatBytes, formatTime } from "../quantities.ts";
import { percentilesTable } from "./percentiles.ts";
import { startTable } from "./start_table.ts";
import { type Column, counts, figures, percentages, type TableSpec, words } from "../spec.ts";

/** Descriptions of the causes of idle time. */
const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  gaps: "gaps between kernels of submitted work",
  copies: "copies and untimed passes between kernels",
  encode: "encoding commands",
  submit: "submitting",
  upload: "uploading",
  read: "reading mapped memory",
  compile: "compiling shaders and pipelines",
  wait: "waiting after the last kernel",
  sleep: "the runtime's sleep after a wait",
  host: "the program's own code",
  unexplained: "unexplained",
};

/** Column widths beside the message of advice. */
const BESIDE_ADVICE = 20;

/** Column widths beside a kernel's name in a terminal. */
const BESIDE_KERNEL = 70;

/**
 * Returns the tables of a device that have rows.
 *
 * @param page the page of its start's table; null for programs, and for further devices of a page
 */
export function attachTables(
  device: AttachedDevice,
  top: number,
  page: AttachedBrowser | null = null,
): TableSpec<unknown>[] {
  const tables: (TableSpec<unknown> | null)[] = [
    accountTable(device),
    percentilesTable(device),
    adviceTable(device),
    kernelsTable(device, top),
    countsTable(device),
    trafficTable(device),
    memoryTable(device),
    leaksTable(device),
    pipelinesTable(device),
    errorsTable(device),
    startTable(page, device),
  ];
  return tables.filter((spec) => spec !== null && spec.rows.length > 0) as TableSpec<unknown>[];
}

interface AccountRow {
  readonly part: string;
  readonly ms: number;
}

/** Table of a step's wall time by cause. */
function accountTable({ account, accountedSteps, steps, cost, timedWall, untimedWall }: AttachedDevice):
  | TableSpec<AccountRow>
  | null {
  if (account === null) return null;
  const rows = accountRows(account);
  const of = steps.by === "none" ? "The whole run" : `A step, mean of ${formatCounted(accountedSteps, "timed step")}`;
  return {
    title: `${of}: ${formatNumber(account.wall)} ms`,
    columns: [
      words("part of the wall time", ({ part }) => part),
      figures("ms", ({ ms }) => ms, { unit: "ms" }),
      percentages("share", ({ ms }) => ms / account.wall, { heading: ["share", "%"] }),
    ],
    rows,
    notes: [
      `kernels: union ${formatNumber(account.kernels)} ms, sum ${formatNumber(account.sum)} ms, span ` +
      `${formatNumber(account.span)} ms; each dispatch has its own pass, which removes overlap`,
      ...untimedWall === null || timedWall === null ? [] : [
        `median wall time: ${formatNumber(untimedWall)} ms untimed, ${formatNumber(timedWall)} ms timed`,
      ],
      ...cost === null
        ? [`cost of timing: unknown: ${steps.by === "none" ? "no steps" : "no untimed step beside a timed one"}`]
        : [
          `cost of timing: ${signedPercent(cost.ratio)} (${
            cost.interval === null
              ? `${formatCounted(cost.pairs, "pair")} of steps, too few for an interval`
              : `95 % interval ${formatInterval(cost.interval.low, cost.interval.high)} of the untimed time, ${
                formatCounted(cost.pairs, "pair")
              }`
          })`,
        ],
    ],
  };
}

/** Parts of an account: kernels, then idle time by cause, the longest first, the unexplained part last. */
export function accountRows({ kernels, idle }: StepAccount): AccountRow[] {
  const causes = CAUSES.filter((cause) => cause === "unexplained" || idle[cause] > 0)
    .toSorted((a, b) => Number(a === "unexplained") - Number(b === "unexplained") || idle[b] - idle[a]);
  return [
    { part: "kernels", ms: kernels },
    ...causes.map((cause) => ({ part: `idle: ${CAUSE_WORDS[cause]}`, ms: idle[cause] })),
  ];
}

/** Changes to the program, the largest saving first. */
function adviceTable({ advice }: AttachedDevice): TableSpec<ProgramAdvice> {
  const evidenceText = ({ evidence }: ProgramAdvice) =>
    evidence.map(({ label, value }) => `${label}: ${value}`).join("; ");
  return {
    title: "Advice: the most that each change can save per step",
    columns: [
      figures("at most", ({ mostMs }) => mostMs, { heading: ["at most", "ms"], unit: "ms" }),
      percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
      words("what steps do", ({ message }) => message, { beside: BESIDE_ADVICE, cut: true }),
      words("change", ({ fix }) => fix, { below: ({ fix }) => fix }),
      words("evidence", evidenceText, { below: evidenceText }),
      words("limit", ({ reasoning }) => reasoning, { below: ({ reasoning }) => `limit: ${reasoning}` }),
    ],
    rows: advice,
    notes: [
      "counts and times are means over the steps after the warm-up; savings overlap and do not add up",
    ],
  };
}

/** Kernels by name, the longest first. */
export function kernelsTable(device: AttachedDevice, top: number): TableSpec<KernelResult> {
  const { kernels, steps } = device;
  const rows = kernels.slice(0, top);
  const isPerStep = steps.by !== "none";
  return {
    title: `Kernels: ${rows.length < kernels.length ? `${rows.length} of ` : ""}${kernels.length}, by time` +
      (isPerStep ? " of a step" : ""),
    columns: [
      words("kernel", ({ name }) => name, { beside: BESIDE_KERNEL, cut: true }),
      figures(isPerStep ? "calls per step" : "calls", ({ perStep, calls }) => calls === 0 ? null : perStep ?? calls, {
        heading: isPerStep ? ["calls", "/step"] : ["calls"],
        format: (value) => Number.isInteger(value) ? String(value) : formatNumber(value),
      }),
      figures("median", ({ median }) => median, { format: formatTime }),
      figures(isPerStep ? "per step" : "total", perStepTime, {
        heading: [isPerStep ? "per step" : "total", "ms"],
        unit: "ms",
      }),
      percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
      figures("GB/s of bound buffers", ({ boundGBs }) => boundGBs, { heading: ["bound", "GB/s"], dropFirst: 3 }),
      ...kernels.some(({ timedBy }) => timedBy === "batch")
        ? [words<KernelResult>("timed by", ({ timedBy }) => timedBy, { heading: ["timed", "by"], dropFirst: 4 })]
        : [],
      ...rows.some(({ dispatches }) => dispatches !== null)
        ? [counts<KernelResult>("calls of the run", ({ dispatches }) => dispatches, {
          heading: ["of the", "run"],
          dropFirst: 2,
        })]
        : [],
      counts("grids", ({ grids }) => grids.length || null, { dropFirst: 1 }),
      words("grid", ({ grids }) => gridText(grids), { dropFirst: 0, heading: ["most frequent", "grid"] }),
      ...rows.some(({ line }) => line !== null)
        ? [words<KernelResult>("line", ({ line }) => line, { below: ({ line }) => line })]
        : [],
    ],
    rows,
    notes: [
      "bound GB/s: sizes of the bound buffers over the time, an upper limit of the bandwidth used",
      ...rows.some(({ timedBy }) => timedBy === "batch")
        ? ["batch: shorter than the clock's step; time of runs of equal dispatches over their number, gaps included"]
        : [],
      ...untimedNotes(device, rows),
    ],
  };
}

/** Says why kernels have no times, one sentence for each reason. */
function untimedNotes({ totals, steps }: AttachedDevice, kernels: readonly KernelResult[]): string[] {
  const words: Readonly<Record<Untimed, string>> = {
    none: "the device has no timestamp queries",
    clock: "the device's clock does not show the time of these kernels",
    own: "the program's own timestamps are in these render passes",
    unread: "the program ended before the timestamps of these kernels were read",
    outside: totals.timedDispatches === 0
      ? "no dispatch was timed"
      : steps.by === "none"
      ? "dispatched only while all query sets were in use"
      : "dispatched only outside of the timed steps",
  };
  const reasons = Map.groupBy(kernels.filter(({ untimed }) => untimed !== null), ({ untimed }) => untimed!);
  return [...reasons].map(([reason, { length }]) =>
    `${MISSING}: ${reasons.size === 1 ? "" : `${formatCounted(length, "kernel")}: `}${words[reason]}`
  );
}

/** Time in a step, or in the run without steps, in ms. */
function perStepTime({ total, calls, perStep }: KernelResult): number | null {
  return total === null ? null : total / calls * (perStep ?? calls);
}

function gridText(grids: KernelResult["grids"]): string | null {
  const first = grids[0];
  return first === undefined ? null : first.grid === null ? "indirect" : first.grid.join("x");
}

interface CountRow {
  readonly name: string;
  readonly count: TotalName;
  readonly bytes: TotalName | null;
}

const COUNTS: readonly CountRow[] = [
  { name: "submits", count: "submits", bytes: null },
  { name: "encoders", count: "encoders", bytes: null },
  { name: "compute passes", count: "computePasses", bytes: null },
  { name: "render passes", count: "renderPasses", bytes: null },
  { name: "dispatches", count: "dispatches", bytes: null },
  { name: "waits", count: "waits", bytes: null },
  { name: "mapped reads", count: "reads", bytes: "readBytes" },
  { name: "uploads", count: "uploads", bytes: "uploadBytes" },
  { name: "uploads by mapping", count: "mappedUploads", bytes: "mappedUploadBytes" },
  { name: "readbacks uploaded again", count: "roundTrips", bytes: "roundTripBytes" },
  { name: "copies", count: "copies", bytes: "copyBytes" },
  { name: "buffers created", count: "buffers", bytes: "bufferBytes" },
  { name: "buffers destroyed", count: "buffersDestroyed", bytes: null },
  { name: "textures", count: "textures", bytes: null },
  { name: "bind groups", count: "bindGroups", bytes: null },
  { name: "pipelines", count: "pipelines", bytes: null },
  { name: "shader modules", count: "modules", bytes: null },
];

/** Calls and bytes, of a step and of the run. */
function countsTable({ totals, perStep }: AttachedDevice): TableSpec<CountRow> {
  const bytesOf = (from: Readonly<Record<TotalName, number>> | null, { bytes }: CountRow) =>
    from === null || bytes === null ? null : from[bytes];
  return {
    title: perStep === null
      ? "Calls"
      : "Calls of a step (median, or mean where most steps have none) and of the whole run",
    columns: [
      words("call", ({ name }) => name),
      ...perStep === null ? [] : [
        counts<CountRow>("of a step", ({ count }) => perStep[count], { heading: ["of a", "step"] }),
        figures<CountRow>("bytes of a step", (row) => bytesOf(perStep, row), {
          heading: ["bytes"],
          format: formatBytes,
        }),
      ],
      counts("of the run", ({ count }) => totals[count], { heading: ["of the", "run"] }),
      figures("bytes of the run", (row) => bytesOf(totals, row), { heading: ["bytes"], format: formatBytes }),
    ],
    rows: COUNTS.filter(({ count }) => totals[count] > 0),
  };
}

interface TrafficRow {
  readonly direction: string;
  readonly count: number;
  readonly bytes: number;
}

/** Copies by direction with their shares of all bytes, as `nsys stats` prints them. */
function trafficTable({ totals, perStep, steps }: AttachedDevice): TableSpec<TrafficRow> {
  const of = perStep ?? totals;
  const all: TrafficRow[] = [
    {
      direction: "host to device",
      count: of.uploads + of.mappedUploads,
      bytes: of.uploadBytes + of.mappedUploadBytes,
    },
    { direction: "device to host", count: of.reads, bytes: of.readBytes },
    { direction: "on the device", count: of.copies, bytes: of.copyBytes },
  ];
  const bytes = all.reduce((sum, row) => sum + row.bytes, 0);
  return {
    title: `Memory traffic by direction, ${steps.by === "none" ? "of the whole run" : "of a step"}`,
    columns: [
      words("direction", ({ direction }) => direction),
      percentages("share of bytes", (row) => bytes > 0 ? row.bytes / bytes : null, { heading: ["share", "%"] }),
      figures("size", (row) => row.bytes, { format: formatBytes }),
      counts("copies", ({ count }) => count),
      figures("mean size", (row) => row.count === 0 ? null : row.bytes / row.count, { format: formatBytes }),
    ],
    rows: all.filter(({ count }) => count > 0),
    notes: ["copies have no timestamps; a readback is first copied on the device"],
  };
}

/** The largest buffers at the peak of memory. */
function memoryTable({ memory }: AttachedDevice): TableSpec<LargeBuffer> | null {
  if (memory === null) return null;
  const { now, peak, collected, keptWarmUp } = memory;
  return {
    title: `Memory: ${formatBytes(now)} at the end, peak ${formatBytes(peak)}; the largest buffers at the peak`,
    columns: [
      words("label", ({ label }) => label || "(no label)", { cut: true }),
      figures("size", ({ size }) => size, { format: formatBytes }),
      figures("age", ({ age }) => age, { heading: ["age", "ms"], unit: "ms" }),
      ...createdAt(memory.largest),
    ],
    rows: memory.largest,
    notes: [
      ...keptWarmUp.count === 0 ? [] : [
        `created by warm-up steps, never destroyed, and not among the leaks: ${
          formatCounted(keptWarmUp.count, "buffer")
        } (${formatBytes(keptWarmUp.bytes)})`,
      ],
      ...collected.count === 0 ? [] : [
        `${formatCounted(collected.count, "buffer")} (${
          formatBytes(collected.bytes)
        }) never destroyed, but freed by the ` +
        "garbage collector",
      ],
    ],
  };
}

/** Returns the column of the lines that create buffers; none without known lines. */
function createdAt<Row extends { readonly line: string | null }>(rows: readonly Row[]): Column<Row>[] {
  return rows.some(({ line }) => line !== null) ? [words<Row>("created at", ({ line }) => line)] : [];
}

/** Buffers that steps create and nothing destroys. */
function leaksTable({ memory }: AttachedDevice): TableSpec<Leak> | null {
  if (memory === null) return null;
  const bytes = memory.leaks.reduce((sum, leak) => sum + leak.bytes, 0);
  return {
    title: `Leaks: ${formatBytes(bytes)} in buffers that steps after the warm-up created and nothing destroyed`,
    columns: [
      words("label", ({ label }) => label || "(no label)", { cut: true }),
      counts("buffers", ({ count }) => count),
      figures("size", ({ size }) => size, { format: formatBytes }),
      figures("total", (leak) => leak.bytes, { format: formatBytes }),
      ...createdAt(memory.leaks),
    ],
    rows: memory.leaks,
  };
}

/** Pipelines that steps after the warm-up made. */
function pipelinesTable({ pipelines, modules, steps }: AttachedDevice): TableSpec<PipelineResult> {
  const inSteps = pipelines.filter(({ inSteadyStep }) => inSteadyStep);
  return {
    title: steps.by === "none"
      ? `Pipelines: ${pipelines.length}, from ${formatCounted(modules, "shader module")}; the slowest calls`
      : `Pipelines made in steps after the warm-up: ${inSteps.length} of ${pipelines.length}`,
    columns: [
      words("pipeline", ({ name }) => name, { cut: true }),
      counts("step", ({ step }) => step),
      figures("call", ({ callMs }) => callMs, { heading: ["call", "ms"], unit: "ms" }),
      figures("ready after", ({ readyMs }) => readyMs, { heading: ["ready", "ms"], unit: "ms" }),
      ...pipelines.some(({ line }) => line !== null) ? [words<PipelineResult>("line", ({ line }) => line)] : [],
    ],
    rows: steps.by === "none" ? pipelines.toSorted((a, b) => b.callMs - a.callMs).slice(0, 10) : inSteps,
  };
}

/** Errors that nothing in the program handled, and those of its error scopes. */
function errorsTable({ errors }: AttachedDevice): TableSpec<AttachedDevice["errors"][number]> {
  return {
    title: formatCounted(errors.length, "validation error"),
    columns: [
      words("type", ({ type }) => type.replace(/^GPU/, "")),
      words("caught", ({ scoped }) => scoped ? "in a scope" : "no"),
      words("message", ({ message }) => message.trimStart().split("\n")[0] ?? "", { cut: true }),
    ],
    rows: errors,
  };
}

function signedPercent(ratio: number): string {
  return `${ratio < 1 ? "-" : "+"}${formatPercent(Math.abs(ratio - 1))} %`;
}
