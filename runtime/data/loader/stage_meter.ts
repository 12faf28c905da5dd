import { type StageClock, StageTimes } from "../stage_clock.ts";
import { MAX_STAGES } from "./batch_record.ts";
import { LapLog } from "./lap_log.ts";

/** Milliseconds to time one stage of one sample, measured and rounded up. */
const LAP_MS = 0.0002;

/** Largest fraction of the time that timing may cost. */
const MAX_SHARE = 0.005;

/** Largest distance between timed samples. */
const MAX_DISTANCE = 255;

/** Name of the last stage, the work around samples. */
const COLLATE = "collate";

/** Clocks of a timed sample. */
export interface SampleClocks {
  readonly sample: StageClock;
  readonly collate: StageClock;
}

/**
 * Times the stages of a subset of samples, which takes at most 0.5 % of the time and affects nothing else.
 */
export class StageMeter {
  /** Names of the stages. */
  readonly stages: readonly string[];
  /** Number of laps of a sample. */
  readonly #perSample: number;
  readonly #times: StageTimes;
  readonly #clocks: SampleClocks;
  readonly #laps = new LapLog();
  /** Record laps of batches that begin from now on: of the first samples, as many as fit. */
  tracing = false;
  #traced = false;
  /** Sample being traced; null between samples. */
  #sample: { readonly index: number; readonly start: number } | null = null;
  #timed = 0;
  /** Distance between timed samples. */
  #distance = 1;
  #counter = 0;
  #began = 0;
  /** Milliseconds per sample in the fastest batch; slower ones were interrupted. */
  #fastest = Infinity;

  /** @param stages stages of a sample; the work around them is one more. If there are too many, the last are merged */
  constructor(stages: readonly string[]) {
    const separate = stages.length < MAX_STAGES ? stages.length : MAX_STAGES - 2;
    const rest = separate < stages.length ? [`${stages.length - separate} more`] : [];
    this.stages = [...stages.slice(0, separate), ...rest, COLLATE];
    this.#perSample = stages.length + 1;
    this.#times = new StageTimes(this.stages.length);
    const collate = this.stages.length - 1;
    this.#clocks = { sample: this.#times.clock(0, collate - 1), collate: this.#times.clock(collate, collate) };
  }

  /** Number of timed samples in the batch. */
  get timed(): number {
    return this.#timed;
  }

  /** Milliseconds of each stage, summed over these samples. */
  get sums(): Float64Array {
    return this.#times.sums;
  }

  /** Laps of the last batch; null if they were not recorded. */
  get laps(): Float64Array | null {
    return this.#traced ? this.#laps.numbers : null;
  }

  /** Starts a batch. */
  begin(): void {
    this.#times.reset();
    this.#timed = 0;
    this.#began = performance.now();
    this.#traced = this.tracing;
    this.#sample = null;
    this.#times.log = null;
    if (this.#traced) this.#laps.begin(this.#began);
  }

  /** Starts a sample and returns its clocks; null if it is not timed. */
  sample(index: number): SampleClocks | null {
    const traced = this.#traced && this.#trace(index);
    if (this.#counter++ % this.#distance !== 0 && !traced) return null;
    this.#timed++;
    this.#times.start();
    return this.#clocks;
  }

  /** Excludes the last `ms` milliseconds from all stages. */
  leaveOut(ms: number): void {
    this.#began += ms;
    this.#times.start();
  }

  /**
   * Ends a batch of `samples`, with `collateMs` of collation outside samples. The fastest batch determines how many of the
   * next samples are timed.
   */
  end(samples: number, collateMs: number): void {
    this.#times.sums[this.stages.length - 1]! += collateMs * this.#timed / samples;
    if (this.#traced) {
      this.#endSample();
      const now = performance.now();
      this.#laps.stage(this.stages.length - 1, now - collateMs, now);
    }
    this.#fastest = Math.min(this.#fastest, Math.max(1e-6, (performance.now() - this.#began) / samples));
    const cost = (this.stages.length + 1) * LAP_MS;
    const distance = Math.ceil(cost / (MAX_SHARE * this.#fastest));
    this.#distance = Math.min(MAX_DISTANCE, distance | 1); // odd, so that the timed places of a batch vary
  }

  /** Ends the previous sample; returns true if this one is traced. */
  #trace(index: number): boolean {
    this.#endSample();
    if (!this.#laps.hasRoom(this.#perSample + 1)) return false;
    this.#times.log = this.#laps;
    this.#sample = { index, start: performance.now() };
    return true;
  }

  #endSample(): void {
    if (this.#sample !== null) this.#laps.sample(this.#sample.index, this.#sample.start, this.#times.last);
    this.#sample = null;
    this.#times.log = null;
  }
}
