import { dirname, join } from "node:path";
import { cacheFolder } from "../../runtime/data/standin/cache.ts";

const FILE = join(cacheFolder(), "test_times.json");

/** Reads how long each test file took in the last run that had it, in seconds. Files that never ran are left out. */
export function keptTimes(): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(Deno.readTextFileSync(FILE)) as Record<string, number>));
  } catch {
    return new Map(); // none, or written by another program
  }
}

/** Adds times to those that are kept. Without a folder that can be written, the next run only starts in another order. */
export function keepTimes(times: ReadonlyMap<string, number>): void {
  const all = Object.fromEntries([...keptTimes(), ...times].map(([file, time]) => [file, Number(time.toFixed(2))]));
  try {
    Deno.mkdirSync(dirname(FILE), { recursive: true });
    Deno.writeTextFileSync(FILE, JSON.stringify(all, null, 1));
  } catch {
    // Not kept
  }
}
