/**
 * Lanes of cores and threads in the timeline, from samples of what Linux reports in `/proc`.
 *
 * @module
 */
import type { CounterSample, Sampling, Span } from "./timeline.ts";

/** Reading of a thread. */
export interface ThreadSample {
  /** Time on a core so far, and ready but without a core, in ns. */
  readonly running: number;
  readonly waiting: number;
  /** Core on which it ran last. */
  readonly core: number;
  /** True while it waits for a disk. */
  readonly onDisk: boolean;
}

/** Readings of all threads of the process and of all cores. */
export interface CpuSample {
  /** In ms on the `performance.now()` axis. */
  readonly time: number;
  readonly threads: ReadonlyMap<string, ThreadSample>;
  /** Busy and total ticks of each core, over all programs. */
  readonly cores: ReadonlyMap<string, { readonly busy: number; readonly total: number }>;
}

export interface CpuLanes {
  readonly spans: readonly Span[];
  readonly counters: readonly CounterSample[];
  readonly sampling: Sampling;
}

/** Fraction of an interval in which a thread must run or wait for a span. */
const MIN = 0.1;

/** Threads that ran and waited for less than this fraction of the time have no lane. */
const IDLE = 0.002;

/** Ticks (usually of 10 ms) of a core for a fraction of use. */
const MIN_TICKS = 10;

type State = "running" | "waiting for a core" | "waiting for a disk";

/** Part of an interval between two samples: a thread's times in it, as fractions. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly running: number;
  readonly waiting: number;
  readonly thread: ThreadSample;
}

/**
 * Returns a lane for each thread, with its states; a lane for each core, with the thread of this process that ran there
 * longest; and a counter for each core with its use by all programs.
 *
 * @param segments uninterrupted series of samples
 * @param names names of the threads by ID
 */
export function cpuLanes(
  segments: readonly (readonly CpuSample[])[],
  names: ReadonlyMap<string, string>,
): Pick<CpuLanes, "spans" | "counters"> {
  const spans: Span[] = [];
  const counters: CounterSample[] = [];
  const shown = busyThreads(segments, [...names.keys()]);
  for (const samples of segments) {
    const parts = new Map(shown.map((id) => [id, partsOf(samples, id)]));
    for (const [id, own] of parts) spans.push(...threadSpans(own, `thread ${names.get(id)}`));
    spans.push(...coreSpans(samples, parts, names));
    counters.push(...coreUse(samples));
  }
  return { spans, counters };
}

function busyThreads(segments: readonly (readonly CpuSample[])[], ids: readonly string[]): string[] {
  return ids.filter((id) => {
    let [active, all] = [0, 0];
    for (const { start, end, running, waiting } of segments.flatMap((samples) => partsOf(samples, id))) {
      active += (running + waiting) * (end - start);
      all += end - start;
    }
    return active > IDLE * all;
  });
}

function partsOf(samples: readonly CpuSample[], id: string): Part[] {
  return samples.slice(1).flatMap(({ time: end, threads }, i) => {
    const { time: start, threads: before } = samples[i]!;
    const [from, thread] = [before.get(id), threads.get(id)];
    if (from === undefined || thread === undefined || end <= start) return [];
    const share = (ns: number) => Math.min(1, Math.max(0, ns / 1e6 / (end - start)));
    const [running, waiting] = [share(thread.running - from.running), share(thread.waiting - from.waiting)];
    return [{ start, end, running, waiting, thread }];
  });
}

function stateOf({ running, waiting, thread }: Part): State | null {
  if (Math.max(running, waiting) >= MIN) return running >= waiting ? "running" : "waiting for a core";
  return thread.onDisk ? "waiting for a disk" : null;
}

/** Returns a span for each stretch of intervals in one state; a thread that sleeps has none. */
function threadSpans(parts: readonly Part[], track: string): Span[] {
  return stretches(parts, stateOf, (part) => part).map(({ key, own }) => {
    const args = { running: percent(mean(own, "running")), "waiting for a core": percent(mean(own, "waiting")) };
    return { track, name: key, start: own[0]!.start, end: own.at(-1)!.end, args };
  });
}

function coreSpans(
  samples: readonly CpuSample[],
  parts: ReadonlyMap<string, readonly Part[]>,
  names: ReadonlyMap<string, string>,
): Span[] {
  const onCore = new Map<number, Map<number, { thread: string; part: Part; all: number }>>();
  for (const [id, own] of parts) {
    for (const part of own) {
      const { core } = part.thread;
      if (!onCore.has(core)) onCore.set(core, new Map());
      const intervals = onCore.get(core)!;
      const known = intervals.get(part.start);
      const all = (known?.all ?? 0) + part.running;
      const leads = known === undefined || part.running > known.part.running;
      intervals.set(part.start, leads ? { thread: id, part, all } : { ...known, all });
    }
  }
  return [...onCore].flatMap(([core, intervals]) => {
    const leading = samples.flatMap(({ time }) => intervals.get(time) ?? []);
    const busiest = ({ thread, part }: typeof leading[number]) => part.running >= MIN ? thread : null;
    return stretches(leading, busiest, ({ part }) => part).map(({ key, own }) => {
      const all = Math.min(1, own.reduce((sum, { all }) => sum + all, 0) / own.length);
      const [start, end] = [own[0]!.part.start, own.at(-1)!.part.end];
      return { track: `core ${core}`, name: names.get(key)!, start, end, args: { "this process": percent(all) } };
    });
  });
}

/** Returns the stretches of adjacent items with the same key; items without a key end a stretch. */
function stretches<T, K extends string>(
  items: readonly T[],
  keyOf: (item: T) => K | null,
  partOf: (item: T) => Part,
): { key: K; own: T[] }[] {
  const found: { key: K; own: T[] }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const last = found.at(-1);
    if (last?.key === key && partOf(last.own.at(-1)!).end === partOf(item).start) last.own.push(item);
    else found.push({ key, own: [item] });
  }
  return found;
}

/** Returns the use of each core in percent, over windows with enough ticks. */
function coreUse(samples: readonly CpuSample[]): CounterSample[] {
  const counters: CounterSample[] = [];
  for (const core of samples[0]?.cores.keys() ?? []) {
    let from = samples[0]!;
    for (const sample of samples) {
      const [a, b] = [from.cores.get(core), sample.cores.get(core)];
      if (a === undefined || b === undefined || b.total - a.total < MIN_TICKS) continue;
      const value = Math.round(100 * (b.busy - a.busy) / (b.total - a.total));
      counters.push({ counter: `${core.replace("cpu", "core ")}: all programs`, time: from.time, value });
      from = sample;
    }
  }
  return counters;
}

function mean(parts: readonly Part[], key: "running" | "waiting"): number {
  const all = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  return parts.reduce((sum, part) => sum + part[key] * (part.end - part.start), 0) / all;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
