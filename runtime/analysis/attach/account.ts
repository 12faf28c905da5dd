import type { Step, StepAccount } from "../../result/attach_result.ts";
import { type Cause, CAUSES } from "../../record/idle_causes.ts";
import type { HostKind } from "../../attach/records.ts";
import { type DeviceRecording, hostIntervals, type Pass } from "./recording.ts";

/** Host activities, by priority: where intervals overlap, the first one counts. */
const PRIORITY: readonly HostKind[] = [
  "own",
  "compile",
  "upload",
  "submit",
  "read",
  "wait",
  "sleep",
  "encode",
  "compiling",
];

interface Interval {
  readonly start: number;
  readonly end: number;
}

type Labelled<L extends string> = Interval & { readonly label: L };

/** Accounts for the wall time of a timed step. */
export function accountOf(recording: DeviceRecording, step: Step): StepAccount {
  const window = { start: step.start, end: step.end };
  const stretches = recording.stretches.slice(step.from, step.to);
  const host = stretches.flatMap(hostIntervals);
  const passes = recording.passes.filter(({ begin, end }) => end > window.start && begin < window.end);
  const running = passes.map(({ begin, end }) => clip({ start: begin, end }, window));
  const busy = union(running);
  const pending = pendingOf(recording, passes);
  const untimed = untimedWork(recording, step);
  const times = { kernels: 0, own: 0, ...Object.fromEntries(CAUSES.map((cause) => [cause, 0])) } as Record<
    Cause | "kernels" | "own",
    number
  >;
  sweep(window, [...host, ...labelled(busy, "busy"), ...pending, ...untimed], (active, ms) => {
    times[causeOf(active)] += ms;
  });
  const { kernels, own: _, ...idle } = times;
  return {
    wall: step.end - step.start - times.own,
    kernels,
    idle: idle as Record<Cause, number>,
    sum: running.reduce((sum, { start, end }) => sum + end - start, 0),
    span: busy.length === 0 ? 0 : busy.at(-1)!.end - busy[0]!.start,
  };
}

/** Averages accounts, whose parts still add up; null without any. */
export function meanAccount(accounts: readonly StepAccount[]): StepAccount | null {
  if (accounts.length === 0) return null;
  const mean = (of: (account: StepAccount) => number) =>
    accounts.reduce((sum, account) => sum + of(account), 0) / accounts.length;
  return {
    wall: mean(({ wall }) => wall),
    kernels: mean(({ kernels }) => kernels),
    idle: Object.fromEntries(CAUSES.map((cause) => [cause, mean(({ idle }) => idle[cause])])) as Record<Cause, number>,
    sum: mean(({ sum }) => sum),
    span: mean(({ span }) => span),
  };
}

type Label = HostKind | "busy" | "gaps" | "copies" | "untimed";

function causeOf(active: ReadonlySet<Label>): Cause | "kernels" | "own" {
  if (active.has("busy")) return "kernels";
  if (active.has("own")) return "own";
  if (active.has("copies")) return "copies";
  if (active.has("gaps")) return "gaps";
  if (active.has("untimed") && !active.has("submit")) return "unexplained";
  const host = PRIORITY.find((kind) => active.has(kind));
  if (host === undefined || host === "own") return "host";
  return host === "compiling" ? "compile" : host;
}

/** Returns when work was submitted whose next pass had not begun. Before a submit's first pass, that is after the call. */
function pendingOf({ submits }: DeviceRecording, passes: readonly Pass[]): Labelled<"gaps" | "copies">[] {
  return [...Map.groupBy(passes, ({ submit }) => submit)].flatMap(([number, own]) =>
    own.map(({ begin, between }, i): Labelled<"gaps" | "copies"> => {
      const start = i === 0 ? submits.get(number)?.end ?? begin : own[i - 1]!.end;
      return { label: between > 0 ? "copies" : "gaps", start, end: begin };
    })
  ).filter(({ start, end }) => end > start);
}

/** Returns true if work of the step before, which was not timed, may still run in a step. */
export function followsUntimedWork({ stretches, passes }: DeviceRecording, step: Step): boolean {
  const before = stretches[step.from - 1];
  if (before === undefined || before.pending === 0 || before.endSubmit === before.firstSubmit) return false;
  return !passes.some(({ submit }) => submit >= before.firstSubmit && submit < before.endSubmit);
}

/** Returns the part of a step in which such work may run. */
function untimedWork(recording: DeviceRecording, step: Step): Labelled<"untimed">[] {
  if (!followsUntimedWork(recording, step)) return [];
  const { stretches } = recording;
  const waited = stretches.slice(step.from, step.to).flatMap(hostIntervals).find(({ label }) => label === "wait");
  return [{ label: "untimed", start: step.start, end: waited?.end ?? step.end }];
}

/** Calls `visit` for each part of a window with the labels of the intervals over it. */
function sweep(
  window: Interval,
  intervals: readonly Labelled<Label>[],
  visit: (active: ReadonlySet<Label>, ms: number) => void,
): void {
  const events = intervals.map((interval) => ({ ...interval, ...clip(interval, window) }))
    .filter(({ start, end }) => end > start)
    .flatMap(({ label, start, end }) => [{ time: start, label, by: 1 }, { time: end, label, by: -1 }])
    .sort((a, b) => a.time - b.time);
  const counts = new Map<Label, number>();
  const active = new Set<Label>();
  let time = window.start;
  for (const event of events) {
    if (event.time > time) visit(active, event.time - time);
    time = Math.max(time, event.time);
    const count = (counts.get(event.label) ?? 0) + event.by;
    counts.set(event.label, count);
    if (count > 0) active.add(event.label);
    else active.delete(event.label);
  }
  if (window.end > time) visit(active, window.end - time);
}

function labelled<L extends string>(intervals: readonly Interval[], label: L): Labelled<L>[] {
  return intervals.map((interval) => ({ ...interval, label }));
}

/** Merges intervals that overlap or touch. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

function clip({ start, end }: Interval, window: Interval): Interval {
  return { start: Math.max(start, window.start), end: Math.min(end, window.end) };
}
