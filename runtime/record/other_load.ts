import { readCores } from "./cpu_use.ts";

/** Minimum time in ms over which a load is precise enough, as the system counts in ticks of 10 ms. */
const SHORTEST = 100;

/** CPU time so far. */
export interface CpuReading {
  /** Busy and total ticks, summed over all cores. */
  readonly busy: number;
  readonly total: number;
  readonly cores: number;
  /** CPU time of this process, in ms. */
  readonly own: number;
  /** `performance.now()`, in ms. */
  readonly time: number;
}

/**
 * Starts watching the CPU time of other processes, including other virtual machines; the returned function reports it as a
 * fraction of all cores, or null if the system does not tell or too little time has passed. Linux only, from `/proc/stat`.
 */
export function watchOtherLoad(): () => number | null {
  const before = read();
  return () => {
    const after = read();
    return before === null || after === null ? null : loadBetween(before, after);
  };
}

/** Returns the CPU time of other processes between two readings as a fraction of all cores; null if they are too close. */
export function loadBetween(before: CpuReading, after: CpuReading): number | null {
  const [elapsed, total] = [after.time - before.time, after.total - before.total];
  if (elapsed < SHORTEST || total <= 0) return null;
  const own = (after.own - before.own) / (elapsed * after.cores);
  return Math.max(0, (after.busy - before.busy) / total - own);
}

/** Returns the load by other processes over the next 200 ms; null if the system does not tell. */
export async function otherLoad(): Promise<number | null> {
  const load = watchOtherLoad();
  await new Promise((resolve) => setTimeout(resolve, 2 * SHORTEST));
  return load();
}

function read(): CpuReading | null {
  if (Deno.build.os !== "linux") return null;
  try {
    const cores = [...readCores().values()];
    const { user, system } = process.cpuUsage();
    return {
      busy: cores.reduce((sum, { busy }) => sum + busy, 0),
      total: cores.reduce((sum, { total }) => sum + total, 0),
      cores: cores.length,
      own: (user + system) / 1000,
      time: performance.now(),
    };
  } catch {
    return null; // no /proc, or no permission to read it
  }
}
