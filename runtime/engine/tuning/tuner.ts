import { candidateId, type TunedChoices, type TuningTask } from "./tasks.ts";
import type { Device } from "../../device/device.ts";
import { formatType } from "../../graph/types.ts";
import type { AutotuneConfig } from "../../scenario/schema.ts";
import { CandidateTimer } from "./candidate_timer.ts";
import { TuningCache, type TuningEntry } from "./cache.ts";

/** Another candidate replaces the default only if it takes less than this fraction of its time; the rest is noise. */
const WORTHWHILE = 0.97;
/** A cached choice that is this many times slower than the current best was made on another machine. */
const FOREIGN = 1.5;

/** One op in one shape, with the times of its candidates. */
export interface TunedOp {
  /** Type of the op, such as `conv2d`. */
  readonly op: string;
  /** IDs of the nodes with this op and these shapes. */
  readonly nodes: string[];
  /** Types of the inputs, such as `16x32 f32`. */
  readonly inputs: string[];
  /** Types of the outputs. */
  readonly outputs: string[];
  /** Source of the times; `left`: not timed within the time limit, so the default is used. */
  readonly source: "cache" | "timed" | "left";
  /** Name of the chosen kernel. */
  readonly chosen: string;
  /** Candidates, the default first. `time` is the time of a run in ms; null if unknown. */
  readonly candidates: { readonly name: string; readonly time: number | null; readonly chosen: boolean }[];
}

/** Result of tuning. */
export interface TuningOutcome {
  /** Tuned ops, each with its candidates. */
  readonly ops: TunedOp[];
  /** Number of ops whose times came from the cache. */
  readonly hits: number;
  /** Time spent in ms. */
  readonly spent: number;
  /** Time of the tuned ops in a step with the default kernels, in ms. */
  readonly before: number;
  /** Time of the tuned ops in a step with the chosen kernels, in ms. */
  readonly after: number;
  /** Clock that timed the candidates. */
  readonly clock: "device" | "host";
  /** File in which times are cached. */
  readonly cache: string;
  /** Messages about an unusable cache or unreliable times. */
  readonly warnings: string[];
}

export interface TunerOptions {
  readonly config: AutotuneConfig;
  /** Writes new times to the cache folder; a file named in `config` is always written. Default true. */
  readonly keep?: boolean;
  readonly shouldStop: () => boolean;
}

/** Times the candidates of a variant's ops, a few at a time, and keeps the best of each. */
export class Tuner {
  readonly #tasks: readonly TuningTask[];
  readonly #options: TunerOptions;
  readonly #timer: CandidateTimer;
  readonly #cache: TuningCache;
  readonly #warnings: string[];
  readonly #known: Map<string, TuningEntry>;
  readonly #timed = new Map<string, TuningEntry>();
  readonly #pending: TuningTask[];
  #spent: number;

  private constructor(
    tasks: readonly TuningTask[],
    options: TunerOptions,
    parts: {
      timer: CandidateTimer;
      cache: TuningCache;
      known: Map<string, TuningEntry>;
      warnings: string[];
      spent: number;
    },
  ) {
    this.#tasks = tasks;
    this.#options = options;
    this.#timer = parts.timer;
    this.#cache = parts.cache;
    this.#known = parts.known;
    this.#warnings = parts.warnings;
    this.#spent = parts.spent;
    this.#pending = tasks.filter(({ key }) => !parts.known.has(key));
  }

  /**
   * Reads the cache and creates a tuner. Adapter info cannot distinguish all machines, so one entry of the default
   * cache file is timed again. If its choice is far from the best, the cache is ignored.
   */
  static async create(device: Device, tasks: readonly TuningTask[], options: TunerOptions): Promise<Tuner> {
    const start = performance.now();
    const warnings: string[] = [];
    const cache = new TuningCache(device.info, options.config.cache, (message) => warnings.push(message));
    const stored = cache.load();
    const known = new Map(tasks.flatMap((task) => {
      const entry = stored.get(task.key);
      return entry !== undefined && isOf(entry, task) ? [[task.key, entry] as const] : [];
    }));
    const outdated = tasks.filter((task) =>
      !known.has(task.key) && [...stored.values()].some((entry) => precedes(entry, task))
    );
    if (outdated.length > 0) {
      warnings.push(
        `${cache.file} names kernels that this version of Tacho does not have (for ${
          [...new Set(outdated.map(({ op }) => op))].join(", ")
        }); timing them again`,
      );
    }
    const timer = new CandidateTimer(device);
    const sample = options.config.cache === null ? tasks.find(({ key }) => known.has(key)) : undefined;
    const slower = sample === undefined ? 1 : await slowdown(timer, sample, known.get(sample.key)!, options.shouldStop);
    if (slower > FOREIGN) {
      warnings.push(
        `${cache.file} holds choices of another machine (its kernel for ${sample!.op} takes ${
          slower.toFixed(1)
        } times ` +
          "as long as the best); timing kernels again",
      );
      known.clear();
    }
    return new Tuner(tasks, options, { timer, cache, known, warnings, spent: performance.now() - start });
  }

  /** Number of ops still to be timed; 0 once the time limit is reached. */
  get pending(): number {
    return this.#spent < this.#options.config.seconds * 1000 ? this.#pending.length : 0;
  }

  /** Times the next `count` ops; returns false if `shouldStop` interrupted it. */
  async advance(count: number): Promise<boolean> {
    for (let i = 0; i < count && this.pending > 0; i++) {
      const start = performance.now();
      const task = this.#pending.shift()!;
      const candidates = await this.#timer.time(task, this.#options.shouldStop);
      this.#spent += performance.now() - start;
      if (candidates === null) return false;
      this.#timed.set(task.key, { op: task.op, chosen: bestOf(candidates), candidates });
    }
    return true;
  }

  /** Returns the choices so far. */
  choices(): TunedChoices {
    return new Map([...this.#known, ...this.#timed].map(([key, { chosen }]) => [key, chosen]));
  }

  /** Saves the times for other runs and frees the timer. */
  async finish(): Promise<TuningOutcome> {
    const { keep = true, config } = this.#options;
    if (keep || config.cache !== null) await this.#cache.save(this.#timed);
    this.#timer.free();
    const ops = this.#tasks.map((task) => this.#describe(task));
    const sum = (pick: (op: TunedOp) => number | null | undefined) =>
      ops.reduce((total, op) => total + (pick(op) ?? 0) * op.nodes.length, 0);
    return {
      ops,
      hits: this.#known.size,
      spent: this.#spent,
      before: sum((op) =>
        op.candidates.some(({ time, chosen }) => chosen && time !== null) ? op.candidates[0]!.time : 0
      ),
      after: sum((op) => op.candidates.find(({ chosen }) => chosen)?.time),
      clock: this.#timer.clock,
      cache: this.#cache.file,
      warnings: this.#warnings,
    };
  }

  #describe(task: TuningTask): TunedOp {
    const entry = this.#timed.get(task.key) ?? this.#known.get(task.key);
    const chosen = entry?.chosen ?? candidateId(task.candidates[0]!);
    return {
      op: task.op,
      nodes: [...task.nodes],
      inputs: task.inputs.map(formatType),
      outputs: task.outputs.map(formatType),
      source: this.#timed.has(task.key) ? "timed" : entry === undefined ? "left" : "cache",
      chosen: task.candidates.find((plan) => candidateId(plan) === chosen)!.name,
      candidates: task.candidates.map((plan, i) => ({
        name: plan.name,
        time: entry?.candidates[i]?.time ?? null,
        chosen: candidateId(plan) === chosen,
      })),
    };
  }
}

/** Measurements that all have to show a cached choice as slow. */
const REPEATS = 4;

/** Returns the time of the chosen candidate relative to the best; 1 unless all measurements agree that it is slow. */
async function slowdown(
  timer: CandidateTimer,
  task: TuningTask,
  { chosen }: TuningEntry,
  shouldStop: () => boolean,
): Promise<number> {
  const measured: TuningEntry["candidates"][] = [];
  while (measured.length < REPEATS) {
    const times = await timer.time(task, shouldStop);
    if (times === null) return 1;
    measured.push(times);
    const ratio = agreedSlowdown(measured, chosen);
    if (ratio <= FOREIGN) return ratio;
  }
  return agreedSlowdown(measured, chosen);
}

/**
 * Returns the time of the chosen candidate relative to that of the best, the smallest of several measurements; 1 if the best
 * is not always the same one. Under load, other programs make any candidate slow, and another one each time.
 */
export function agreedSlowdown(measured: readonly TuningEntry["candidates"][], chosen: string): number {
  const found = measured.map((candidates) => {
    const timed = candidates.filter(({ time }) => time !== null);
    const own = timed.find(({ id }) => id === chosen);
    if (own === undefined) return { best: chosen, ratio: 1 };
    const best = timed.reduce((a, b) => b.time! < a.time! ? b : a);
    return { best: best.id, ratio: own.time! / best.time! };
  });
  return new Set(found.map(({ best }) => best)).size > 1 ? 1 : Math.min(...found.map(({ ratio }) => ratio));
}

/** Returns the fastest candidate, or the default if it is hardly slower. */
function bestOf(candidates: TuningEntry["candidates"]): string {
  const [first] = candidates;
  const timed = candidates.filter(({ time }) => time !== null);
  const best = timed.length === 0 ? first! : timed.reduce((a, b) => (b.time! < a.time! ? b : a));
  return first!.time !== null && best.time! > WORTHWHILE * first!.time ? first!.id : best.id;
}

/** Returns true if an entry is of the task's op and shapes, but names kernels that are not among its candidates. */
function precedes({ op, candidates }: TuningEntry, task: TuningTask): boolean {
  if (op !== task.op) return false;
  const ids = new Set(task.candidates.map(candidateId));
  const names = new Set(task.candidates.map(({ name }) => name));
  return candidates.some(({ id }) => ids.has(id)) && candidates.some(({ name }) => !names.has(name));
}

/** Returns true if an entry, which a user may have edited, names the task's candidates. */
function isOf(entry: TuningEntry, task: TuningTask): boolean {
  const ids = task.candidates.map(candidateId);
  return ids.includes(entry.chosen) && entry.candidates.length === ids.length &&
    entry.candidates.every(({ id }, i) => id === ids[i]);
}
