import type { Result } from "../result/schema.ts";
import { isDamage, StoreError } from "../store/problems.ts";
import type { ListedRun } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { KeptRuns } from "./kept_runs.ts";

/** Number of the latest runs whose results are read in the background. */
const LATEST = 100;

/** Pause between two results, in ms. */
const PAUSE_MS = 30;

/**
 * Finds results that cannot be read, so that the list shows them. Reads the latest ones in the background, one at a time
 * and only while no run is measured, since it takes the processor.
 */
export class ResultChecks implements Disposable {
  readonly #runs: KeptRuns;
  /** Problem of each result that was read, by ID and end of its run; null without one. */
  readonly #read = new Map<string, string | null>();
  #pending: readonly ListedRun[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #found = 0;

  constructor(runs: KeptRuns) {
    this.#runs = runs;
  }

  /** Number of problems found so far. */
  get found(): number {
    return this.#found;
  }

  /** Returns the problem of a run's result, as far as it is known. */
  problemOf(listed: ListedRun): string | null {
    return this.#read.get(keyOf(listed)) ?? null;
  }

  /**
   * Reads a result, or returns null if the run has none.
   *
   * @throws {Error} if it cannot be read; {@linkcode problemOf} then returns the reason unless that may pass
   */
  read(store: Store, listed: ListedRun): Result | null {
    try {
      const result = store.result(listed.id);
      this.#read.set(keyOf(listed), null);
      return result;
    } catch (error) {
      // An error without a cause is of content that another version kept
      const problem = !(error instanceof StoreError) || isDamage(error)
        ? "its result in the store is damaged"
        : error.cause === undefined
        ? error.message
        : null;
      if (problem !== null && this.problemOf(listed) === null) this.#found++;
      if (problem !== null) this.#read.set(keyOf(listed), problem);
      throw error;
    }
  }

  /** Starts to check the latest of these runs, instead of those before. */
  check(runs: readonly ListedRun[]): void {
    const isMeasuring = runs.some(({ run }) => run?.status === "running");
    this.#pending = isMeasuring ? [] : runs.slice(0, LATEST).filter((listed) => {
      return listed.hasResult && !this.#read.has(keyOf(listed));
    });
    if (this.#pending.length > 0) this.#timer ??= setTimeout(() => this.#next(), PAUSE_MS);
  }

  #next(): void {
    this.#timer = null;
    const [listed, ...others] = this.#pending;
    this.#pending = others;
    try {
      const { store } = this.#runs;
      if (listed !== undefined && store !== null) this.read(store, listed);
    } catch {
      // the list shows the problem; nothing may end the server from here
    }
    if (others.length > 0) this.#timer = setTimeout(() => this.#next(), PAUSE_MS);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pending = [];
  }
}

/** A run that is resumed ends again, with another result. */
function keyOf({ id, run }: ListedRun): string {
  return `${id} ${run?.ended ?? ""}`;
}
