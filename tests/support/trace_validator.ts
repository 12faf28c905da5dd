/**
 * Rules of the trace event format on which viewers rely.
 *
 * @module
 */

/** An event as in the file. Times are in microseconds. */
export interface ParsedEvent {
  ph: string;
  pid: number;
  tid?: number;
  ts?: number;
  dur?: number;
  name: string;
  id?: number;
  cat?: string;
  bp?: string;
  args?: Record<string, unknown>;
}

export interface ParsedTrace {
  traceEvents: ParsedEvent[];
  displayTimeUnit: string;
  otherData: Record<string, unknown>;
}

export function parseTrace(text: string): ParsedTrace {
  return JSON.parse(text) as ParsedTrace;
}

/** Returns the problems of a trace; a valid trace has none. */
export function validateTrace(text: string): string[] {
  const { traceEvents: events } = parseTrace(text);
  if (!Array.isArray(events)) return ["no traceEvents"];
  const slices = events.filter(({ ph }) => ph === "X");
  return [
    ...events.flatMap(eventProblems),
    ...nameProblems(events),
    ...nestingProblems(slices),
    ...flowProblems(events, slices),
    ...counterProblems(events),
  ];
}

function eventProblems(event: ParsedEvent): string[] {
  const problems: string[] = [];
  const say = (problem: string) => problems.push(`${problem}: ${JSON.stringify(event)}`);
  if (!["M", "X", "C", "s", "f"].includes(event.ph)) say("unknown kind of event");
  if (!Number.isInteger(event.pid) || event.pid <= 0) say("pid is not a positive integer");
  if (event.ph !== "C" && event.ph !== "M" && !Number.isInteger(event.tid)) say("no tid");
  if (typeof event.name !== "string") say("no name");
  if (event.ph === "M") return problems;
  if (typeof event.ts !== "number" || !Number.isFinite(event.ts) || event.ts < 0) say("ts is not a time");
  if (event.ph === "X" && !(typeof event.dur === "number" && event.dur >= 0)) say("negative or missing duration");
  for (const time of [event.ts!, event.dur ?? 0]) if (!Number.isInteger(time * 1024)) say("sums would be rounded");
  return problems;
}

/** Checks that each process and each thread has one name, and no two threads share a tid. */
function nameProblems(events: readonly ParsedEvent[]): string[] {
  const named = (kind: string) => events.filter(({ name, ph }) => ph === "M" && name === kind);
  const processes = named("process_name").map(({ pid }) => pid);
  const threads = named("thread_name").map(({ tid }) => tid!);
  const problems: string[] = [];
  if (new Set([...processes, ...threads]).size !== processes.length + threads.length) {
    problems.push("an ID is used twice");
  }
  for (const { pid, tid } of events) {
    if (!processes.includes(pid)) problems.push(`process ${pid} has no name`);
    if (tid !== undefined && !threads.includes(tid)) problems.push(`thread ${tid} has no name`);
  }
  return [...new Set(problems)];
}

/** Returns the bounds of a slice, computed like in viewers. */
const bounds = ({ ts, dur }: ParsedEvent) => ({ start: ts!, end: ts! + dur! });

function nestingProblems(slices: readonly ParsedEvent[]): string[] {
  const problems: string[] = [];
  for (const own of Map.groupBy(slices, ({ tid }) => tid).values()) {
    const open: number[] = [];
    let last = -Infinity;
    for (const slice of own) {
      const { start, end } = bounds(slice);
      if (start < last) problems.push(`not in order: ${slice.name}`);
      last = start;
      while (open.length > 0 && open.at(-1)! <= start) open.pop();
      if (open.length > 0 && end > open.at(-1)!) problems.push(`partial overlap: ${slice.name} at ${slice.ts}`);
      open.push(end);
    }
  }
  return problems;
}

/** Checks that each arrow starts once and later ends once, within slices, with the same category and name. */
function flowProblems(events: readonly ParsedEvent[], slices: readonly ParsedEvent[]): string[] {
  const problems: string[] = [];
  const flows = Map.groupBy(events.filter(({ ph }) => ph === "s" || ph === "f"), ({ id }) => id);
  for (const [id, ends] of flows) {
    const [s, f] = ends;
    if (ends.length !== 2 || s!.ph !== "s" || f!.ph !== "f" || f!.bp !== "e") {
      problems.push(`flow ${id} does not have one start and one end`);
      continue;
    }
    if (typeof id !== "number" || s!.name !== f!.name || s!.cat !== f!.cat) problems.push(`flow ${id} does not match`);
    if (f!.ts! < s!.ts!) problems.push(`flow ${id} goes back in time`);
    for (const end of ends) {
      const time = end.ts!;
      const bound = slices.some((slice) => {
        const { start, end: until } = bounds(slice);
        return slice.tid === end.tid && start <= time && time <= until;
      });
      if (!bound) problems.push(`flow ${id} is not within a slice`);
    }
  }
  return problems;
}

function counterProblems(events: readonly ParsedEvent[]): string[] {
  const problems: string[] = [];
  const counters = Map.groupBy(events.filter(({ ph }) => ph === "C"), ({ pid, name }) => `${pid} ${name}`);
  for (const [counter, samples] of counters) {
    if (samples.some(({ ts }, i) => i > 0 && ts! < samples[i - 1]!.ts!)) problems.push(`${counter} is not in order`);
    for (const { args } of samples) {
      const values = Object.values(args ?? {});
      if (values.length === 0 || values.some((value) => typeof value !== "number")) {
        problems.push(`${counter}: no number`);
      }
    }
  }
  return problems;
}
