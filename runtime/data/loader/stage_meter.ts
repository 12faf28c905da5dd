import { type StageClock, StageTimes } from "../stage_clock.ts";
import { MAX_STAGES } from "./batch_record.ts";
import { LapLog } from "./lap_log.ts";

/** What it costs to time one stage of one sample: milliseconds, measured and rounded up. */
const LAP_MS = 0.0002;

/** The part of the time that timing may cost. */
const SHARE = 0.005;

/** Samples of which one is timed, at most. */
const RAREST = 255;

/** The stage that puts samples in their places; the last one. */
const COLLATE = "collate";

/** The clocks of a sample that is timed. */
export interface SampleClocks {
  readonly sample: StageClock;
  readonly collate: StageClock;
}

/**
 * Times the stages of some samples: as many as may cost half a per cent. Which samples are timed changes nothing else.
 */
export class StageMeter {
  /** The names of what is timed. */
  readonly stages: readonly string[];
  /** The laps of a sample. */
  readonly #perSample: number;
  readonly #times: StageTimes;
  readonly #clocks: SampleClocks;
  readonly #laps = new LapLog();
  /** Whether batches that begin note their laps: the first samples one by one, as many as there is room for. */
  tracing = false;
  #traced = false;
  /** The sample that is traced; null between samples. */
  #sample: { readonly index: number; readonly start: number } | null = null;
  #timed = 0;
  /** Every how many samples one is timed. */
  #every = 1;
  #counter = 0;
  #began = 0;
  /** Milliseconds of a sample in the fastest batch: others were held up, which says nothing about the next one. */
  #fastest = Infinity;

  /** @param stages those of a sample; the work around them is one more. The last of too many are told in sum */
  constructor(stages: readonly string[]) {
    const apart = stages.length < MAX_STAGES ? stages.length : MAX_STAGES - 2;
    const rest = apart < stages.length ? [`${stages.length - apart} more`] : [];
    this.stages = [...stages.slice(0, apart), ...rest, COLLATE];
    this.#perSample = stages.length + 1;
    this.#times = new StageTimes(this.stages.length);
    const collate = this.stages.length - 1;
    this.#clocks = { sample: this.#times.clock(0, collate - 1), collate: this.#times.clock(collate, collate) };
  }

  /** Samples of the batch that were timed. */
  get timed(): number {
    return this.#timed;
  }

  /** Milliseconds of each stage over these samples. */
  get sums(): Float64Array {
    return this.#times.sums;
  }

  /** The laps of the batch that was made last; null where they were not noted. */
  get laps(): Float64Array | null {
    return this.#traced ? this.#laps.numbers : null;
  }

  /** A batch begins. */
  begin(): void {
    this.#times.reset();
    this.#timed = 0;
    this.#began = performance.now();
    this.#traced = this.tracing;
    this.#sample = null;
    this.#times.log = null;
    if (this.#traced) this.#laps.begin(this.#began);
  }

  /** The clocks of the next sample, on which its collation has begun; null where it is not timed. */
  sample(index: number): SampleClocks | null {
    const traced = this.#traced && this.#trace(index);
    if (this.#counter++ % this.#every !== 0 && !traced) return null;
    this.#timed++;
    this.#times.start();
    return this.#clocks;
  }

  /** The last `ms` milliseconds belong to no stage. */
  leaveOut(ms: number): void {
    this.#began += ms;
    this.#times.start();
  }

  /**
   * A batch of `samples` is done, with `collateMs` of collation that is no sample's. The fastest says how many of
   * the next samples are timed.
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
    const every = Math.ceil(cost / (SHARE * this.#fastest));
    this.#every = Math.min(RAREST, every | 1); // odd, so that not always the same places of a batch are timed
  }

  /** The sample before is done; whether this one is noted. */
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
