/**
 * What the processor did, as the operating system tells it: on Linux from `/proc`, elsewhere nothing.
 *
 * @module
 */

/** Times since boot or since the thread's start, in the units of the file they are from. */
interface Reading {
  /** Per core: busy and total ticks. */
  readonly cores: ReadonlyMap<string, { busy: number; total: number }>;
  /** Per thread: time on a core and time ready without one, ns. */
  readonly threads: ReadonlyMap<string, { running: number; waiting: number }>;
  /** `performance.now()`: ms. */
  readonly time: number;
}

/** One core or thread over a stretch of time. */
export interface CpuUse {
  readonly kind: "core" | "thread";
  readonly name: string;
  /** Part of the time that it ran, from 0 to 1. */
  readonly running: number;
  /** Part of the time that a thread was ready but had no core. */
  readonly waiting: number | null;
}

/** Threads that ran and waited for less than this part of the time are left out. */
const IDLE = 0.002;

/** Cores are counted in ticks, of 10 ms as a rule: fewer would tell a part of the time too roughly. */
const FEWEST_TICKS = 20;

/** Starts to watch; the returned function says what ran since. Empty where the system does not tell. */
export function watchCpu(): () => CpuUse[] {
  const before = read();
  return () => {
    const after = read();
    return before === null || after === null ? [] : difference(before, after);
  };
}

function difference(before: Reading, after: Reading): CpuUse[] {
  const uses: CpuUse[] = [];
  for (const [name, { busy, total }] of after.cores) {
    const start = before.cores.get(name);
    if (start === undefined || total - start.total < FEWEST_TICKS) continue;
    uses.push({ kind: "core", name, running: clamp((busy - start.busy) / (total - start.total)), waiting: null });
  }
  const nanoseconds = (after.time - before.time) * 1e6;
  for (const [name, { running, waiting }] of after.threads) {
    const start = before.threads.get(name) ?? { running: 0, waiting: 0 };
    const use = {
      running: clamp((running - start.running) / nanoseconds),
      waiting: clamp((waiting - start.waiting) / nanoseconds),
    };
    if (use.running + use.waiting >= IDLE) uses.push({ kind: "thread", name, ...use });
  }
  return uses;
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function read(): Reading | null {
  if (Deno.build.os !== "linux") return null;
  try {
    return { cores: readCores(), threads: readThreads(), time: performance.now() };
  } catch {
    return null; // no /proc, or no permission to read it
  }
}

/** `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, in ticks. */
function readCores(): Map<string, { busy: number; total: number }> {
  const cores = new Map<string, { busy: number; total: number }>();
  for (const line of Deno.readTextFileSync("/proc/stat").split("\n")) {
    const [name, ...fields] = line.split(/\s+/);
    if (!/^cpu\d+$/.test(name ?? "")) continue;
    const ticks = fields.slice(0, 8).map(Number);
    const total = ticks.reduce((sum, value) => sum + value, 0);
    cores.set(name!, { busy: total - ticks[3]! - ticks[4]!, total });
  }
  return cores;
}

/** `/proc/self/task/ID/schedstat`: time on a core and time waiting for one, in ns. */
function readThreads(): Map<string, { running: number; waiting: number }> {
  const threads = new Map<string, { running: number; waiting: number }>();
  for (const { name: id } of Deno.readDirSync("/proc/self/task")) {
    try {
      const [running, waiting] = Deno.readTextFileSync(`/proc/self/task/${id}/schedstat`).split(" ").map(Number);
      const name = Deno.readTextFileSync(`/proc/self/task/${id}/comm`).trim();
      const main = Number(id) === Deno.pid ? " (main)" : "";
      threads.set(`${name} ${id}${main}`, { running: running!, waiting: waiting! });
    } catch {
      continue; // the thread has ended
    }
  }
  return threads;
}
