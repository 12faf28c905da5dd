/**
 * CPU time of cores and threads, as the operating system reports it. Linux only, from `/proc`.
 *
 * @module
 */
import { readKernelFile } from "../core/files.ts";

/** Times since boot or since the start of the thread, in the units of the file they come from. */
interface Reading {
  /** Busy and total ticks of each core. */
  readonly cores: ReadonlyMap<string, { busy: number; total: number }>;
  /** Time of each thread on a core, and ready but without a core, in ns. */
  readonly threads: ReadonlyMap<string, { running: number; waiting: number }>;
  /** `performance.now()`, in ms. */
  readonly time: number;
}

/** Use of one core or by one thread over an interval. */
export interface CpuUse {
  readonly kind: "core" | "thread";
  readonly name: string;
  /** Fraction of the time that it ran, from 0 to 1. */
  readonly running: number;
  /** Fraction of the time that a thread was ready but had no core; null for a core. */
  readonly waiting: number | null;
}

/** Threads that ran and waited for less than this fraction of the time are omitted. */
const IDLE = 0.002;

/** Minimum ticks (usually of 10 ms) for a fraction that is precise enough. */
const MIN_TICKS = 20;

/** Starts watching; the returned function reports the use since then. It is empty if the system reports nothing. */
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
    if (start === undefined || total - start.total < MIN_TICKS) continue;
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

/** Reads the use of each core. Throws without access. */
export function readCores(): Map<string, { busy: number; total: number }> {
  return parseCores(readKernelFile("/proc/stat"));
}

/** Parses `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, in ticks. */
export function parseCores(text: string): Map<string, { busy: number; total: number }> {
  const cores = new Map<string, { busy: number; total: number }>();
  // The cores come first; the lines after them are long
  for (let at = 0; text.startsWith("cpu", at); at = text.indexOf("\n", at) + 1) {
    const [name, ...fields] = text.slice(at, text.indexOf("\n", at)).split(/\s+/);
    if (name === "cpu") continue; // the sum
    const ticks = fields.slice(0, 8).map(Number);
    const total = ticks.reduce((sum, value) => sum + value, 0);
    cores.set(name!, { busy: total - ticks[3]! - ticks[4]!, total });
  }
  return cores;
}

/** Parses `/proc/self/task/ID/schedstat`: time on a core and time waiting for one, in ns. */
export function parseSchedule(text: string): { running: number; waiting: number } {
  const [running = 0, waiting = 0] = text.split(" ").map(Number);
  return { running, waiting };
}

/** Parses `/proc/self/task/ID/stat`, in which the name of the thread may contain spaces. */
export function parseThreadState(text: string): { core: number; onDisk: boolean } {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // from the third field on, the state
  return { core: Number(fields[36]), onDisk: fields[0] === "D" };
}

function readThreads(): Map<string, { running: number; waiting: number }> {
  const threads = new Map<string, { running: number; waiting: number }>();
  for (const { name: id } of Deno.readDirSync("/proc/self/task")) {
    try {
      const schedule = parseSchedule(readKernelFile(`/proc/self/task/${id}/schedstat`));
      const name = readKernelFile(`/proc/self/task/${id}/comm`).trim();
      const main = Number(id) === Deno.pid ? " (main)" : "";
      threads.set(`${name} ${id}${main}`, schedule);
    } catch {
      continue; // the thread has ended
    }
  }
  return threads;
}
