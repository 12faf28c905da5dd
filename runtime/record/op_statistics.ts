import { RandomStream } from "../core/random.ts";
import {
  addDefects,
  cleanPasses,
  type DefectCounts,
  NO_DEFECTS,
  type PassTimes,
  type RawPass,
} from "./device_samples.ts";

/** Ops of one profiled step on the device's clock, in order; null if a time is unusable. */
export type OpPasses = readonly (PassTimes | null)[];

/** Device time of one op over the steps in which it was timed, in device ticks. */
export interface OpTimes {
  readonly calls: number;
  readonly total: number;
  /** Median call, which one stalled call does not move; NaN without calls. */
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Device time of a phase over the steps in which all its ops were timed, in device ticks. */
export interface PhaseTimes {
  readonly phase: string;
  readonly steps: number;
  /** Time from the begin of the first op to the end of the last, summed over the phase's runs of ops and over the steps. */
  readonly interval: number;
  /** Sum of the op times over the steps. */
  readonly ops: number;
}

/** Steps whose op times are kept for medians. */
const KEPT_STEPS = 512;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Sums over the passes of profiled steps, and medians of their ops. Medians are exact up to 512 steps. Of longer profiles,
 * they are those of 512 steps drawn with equal probability (J. S. Vitter, "Random sampling with a reservoir", ACM TOMS
 * 11(1), 1985, algorithm R) from a fixed seed, so memory is bounded and the same times give the same medians. Ticks are
 * whole numbers, exact up to 2^53: a hundred days in nanoseconds.
 */
export class OpStatistics {
  readonly #phaseOf: readonly string[];
  readonly #ops: Mutable<Omit<OpTimes, "median">>[];
  /** Op times of the kept steps; NaN where a time is unusable. */
  readonly #kept: Float64Array[] = [];
  readonly #random = new RandomStream(0);
  #seen = 0;
  readonly #phases: Mutable<PhaseTimes>[];
  #steps = 0;
  #defects = NO_DEFECTS;
  #resolution: number | null = null;
  #last = 0n;

  /** @param phases phase of each op, in the order in which the ops run */
  constructor(phases: readonly string[]) {
    this.#phaseOf = phases;
    this.#ops = phases.map(() => ({ calls: 0, total: 0, min: Infinity, max: -Infinity }));
    this.#phases = [...new Set(phases)].map((phase) => ({ phase, steps: 0, interval: 0, ops: 0 }));
  }

  /** Adds a step and returns its checked passes. They are empty if the adapter has no timestamps. */
  add(raw: readonly RawPass[]): OpPasses {
    this.#steps++;
    if (raw.length === 0) return [];
    const passes = this.#clean(raw);
    this.#keep(passes);
    passes.forEach((pass, i) => {
      if (pass !== null) addTo(this.#ops[i]!, pass);
    });
    const origin = passes.find((pass) => pass !== null)?.begin ?? 0n;
    for (const phase of this.#phases) {
      const own = passes.filter((_, i) => this.#phaseOf[i] === phase.phase);
      if (own.includes(null)) continue;
      phase.steps++;
      // The time between two runs of a phase belongs to other phases
      passes.forEach((pass, i) => {
        if (this.#phaseOf[i] !== phase.phase) return;
        if (this.#phaseOf[i - 1] !== phase.phase) phase.interval -= Number(pass!.begin - origin);
        if (this.#phaseOf[i + 1] !== phase.phase) phase.interval += Number(pass!.end - origin);
      });
      phase.ops += own.reduce((sum, pass) => sum + Number(pass!.end - pass!.begin), 0);
    }
    return passes;
  }

  /** Reads the passes of a warm-up step without adding them. */
  skip(raw: readonly RawPass[]): void {
    this.#last = cleanPasses(raw, this.#last).last;
  }

  /** Times by op, in the order in which the ops run. */
  get ops(): readonly OpTimes[] {
    return this.#ops.map((times, i) => ({ ...times, median: this.#median(i) }));
  }

  /** Times by phase, in the order of a step. */
  get phases(): readonly PhaseTimes[] {
    return this.#phases;
  }

  get steps(): number {
    return this.#steps;
  }

  get defects(): DefectCounts {
    return this.#defects;
  }

  /** Smallest observed step of the device's clock, in ns; null if there were too few passes to infer it. */
  get resolution(): number | null {
    return this.#resolution;
  }

  #keep(passes: OpPasses): void {
    const place = this.#seen < KEPT_STEPS ? this.#seen : this.#random.below(this.#seen + 1);
    this.#seen++;
    if (place >= KEPT_STEPS) return;
    this.#kept[place] = Float64Array.from(passes, (pass) => pass === null ? NaN : Number(pass.end - pass.begin));
  }

  #median(op: number): number {
    const times = Float64Array.from(this.#kept, (step) => step[op]!).filter((ticks) => !Number.isNaN(ticks)).sort();
    const middle = times.length >> 1;
    return times.length % 2 === 1 ? times[middle]! : (times[middle - 1]! + times[middle]!) / 2;
  }

  #clean(raw: readonly RawPass[]): OpPasses {
    const { passes, defects, resolution, last } = cleanPasses(raw, this.#last);
    this.#last = last;
    this.#defects = addDefects(this.#defects, defects);
    if (resolution !== null) this.#resolution = Math.min(this.#resolution ?? Infinity, resolution);
    return passes;
  }
}

function addTo(times: Mutable<Omit<OpTimes, "median">>, { begin, end }: PassTimes): void {
  const ticks = Number(end - begin);
  times.calls++;
  times.total += ticks;
  if (ticks < times.min) times.min = ticks;
  if (ticks > times.max) times.max = ticks;
}
