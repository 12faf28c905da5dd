/**
 * Fuzzers: each one makes damaged or random input from a seed and checks that Tacho survives it. A trial may succeed, or
 * fail with an error that is meant for the user.
 *
 * @module
 */
import { InputError, TachoError } from "../../runtime/core/errors.ts";
import { RandomStream } from "../../runtime/core/random.ts";

/** Longest message, in characters. */
const LONGEST_MESSAGE = 13_000;
/** Largest growth of the process's memory over all trials, in bytes: that of some kept results of the largest size, and their texts. */
const LARGEST_GROWTH = 2 ** 31;

/** Makes an input from random draws, uses it, and throws if Tacho does not survive it. */
export type Trial = (random: RandomStream) => void | Promise<void>;

export interface Fuzzer {
  readonly name: string;
  /** Number of trials in the suite, for about two seconds. */
  readonly few: number;
  /** Returns false if the machine lacks what the trials need; always possible by default. */
  readonly isPossible?: () => Promise<boolean>;
  /** Makes what the trials share, in a folder of the fuzzer's own. */
  readonly begin: (folder: string) => Trial | Promise<Trial>;
}

/** A trial that Tacho did not survive. */
export interface Fault {
  /** `deno task fuzz --only NAME --seed SEED --count 1` repeats it. */
  readonly seed: number;
  readonly reason: string;
}

export interface Trials {
  /** Seed of the first trial; the next ones follow. */
  readonly seed: number;
  readonly count: number;
  /** Called before each trial. */
  readonly onTrial?: (seed: number) => void;
}

/** Runs trials and returns the faults. */
export async function fuzz({ begin }: Fuzzer, { seed: first, count, onTrial = () => {} }: Trials): Promise<Fault[]> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-fuzz-" });
  const faults: Fault[] = [];
  try {
    const trial = await begin(folder);
    const before = Deno.memoryUsage().rss;
    for (let seed = first; seed < first + count; seed++) {
      onTrial(seed);
      try {
        await trial(new RandomStream(seed));
      } catch (error) {
        faults.push({ seed, reason: reasonOf(error) });
      }
      const growth = Deno.memoryUsage().rss - before;
      if (growth > LARGEST_GROWTH) {
        faults.push({ seed, reason: `the process has grown by ${Math.round(growth / 2 ** 20)} MiB` });
        break;
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return faults;
}

/** Returns the messages of an error and its causes, and the place that the innermost was thrown from. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.stack ?? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

/**
 * Runs an action, and returns its value, or null if it throws an error that is meant for the user.
 *
 * @param input the input, shown with a fault
 * @throws any other error, and one whose message is too long
 */
export async function survives<T>(input: string, action: () => T | Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof TachoError)) throw new Error(`${input}: raw error`, { cause: error });
    if (error.message.length > LONGEST_MESSAGE) throw new Error(`${input}: ${error.message.length} characters`);
    if (error instanceof InputError && error.message.trim() === "") throw new Error(`${input}: empty message`);
    return null;
  }
}
