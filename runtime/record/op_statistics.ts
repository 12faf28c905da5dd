import { RandomStream } from "../core/random.ts";
import {
  addDefects,
  cleanPasses,
  type DefectCounts,
  NO_DEFECTS,
  type PassTimes,
  type RawPass,
} from "./device_samples.ts";

/** Dispatches of one profiled step on the device's clock, in order; null if a time is unusable. */
export type StepPasses = readonly (PassTimes | null)[];

/** Device time of one op or dispatch over the steps in which it was timed, in device ticks. */
export interface OpTimes {
  readonly calls: number;
  readonly total: number;
  /** Median call, which one stalled call does not move; NaN without calls. */
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Device time of a phase over the steps in which all its dispatches were timed, in device ticks. */
export interface PhaseTimes {
  readonly phase: string;
  readonly steps: number;
  /**
   * Time from the begin of the first dispatch to the end of the last, summed over the phase's runs of dispatches and over
   * the steps.
   */
  readonly interval: number;
  /** Sum of the times of the dispatches over the steps. */
  readonly ops: number;
  readonly gaps: PhaseGaps;
}

/** Time between consecutive dispatches of a phase, in device ticks. */
export interface PhaseGaps {
  /** Gaps of a step. */
  readonly count: number;
  /** Sum of the gaps between dispatches of two submits. */
  readonly submits: number;
  /** Longest gap, and the index of the dispatch that follows it; null without gaps. */
  readonly longest: { readonly ticks: number; readonly before: number } | null;
}

/** Steps whose times are kept for medians. */
const KEPT_STEPS = 512;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Sums = Mutable<Omit<OpTimes, "median">>;

/**
 * Sums over the dispatches of profiled steps, each timed as a pass, and over their ops; an op's time is the sum of its
 * dispatches' times. Medians are exact up to 512 steps. Of longer profiles,
 * they are those of 512 steps drawn with equal probability (J. S. Vitter, "Random sampling with a reservoir", ACM TOMS
 * 11(1), 1985, algorithm R) from a fixed seed, so memory is bounded and the same times give the same medians. Ticks are
 * whole numbers, exact up to 2^53: a hundred days in nanoseconds.
 */
export class OpStatistics {
  readonly #phaseOf: readonly string[];
  /** Dispatches of each op, by index. */
  readonly #members: readonly (readonly number[])[];
  readonly #dispatches: readonly Sums[];
  readonly #ops: readonly Sums[];
  /** Times of the dispatches of the kept steps; NaN where a time is unusable. */
  readonly #kept: Float64Array[] = [];
  readonly #random = new RandomStream(0);
  #seen = 0;
  readonly #phases: readonly (Mutable<PhaseTimes> & { gaps: Mutable<PhaseGaps> })[];
  #steps = 0;
  #defects = NO_DEFECTS;
  #resolution: number | null = null;
  #last = 0n;

  /**
   * @param phases phase of each dispatch, in the order in which the dispatches run
   * @param ops index of each dispatch's op; by default each dispatch is an op
   */
  constructor(phases: readonly string[], ops: readonly number[] = phases.map((_, i) => i)) {
    this.#phaseOf = phases;
    this.#members = [...Map.groupBy(ops.keys(), (i) => ops[i]!).values()];
    this.#dispatches = phases.map(noSums);
    this.#ops = this.#members.map(noSums);
    this.#phases = [...new Set(phases)].map((phase) => {
      const count = phases.filter((own, i) => own === phase && phases[i - 1] === phase).length;
      return { phase, steps: 0, interval: 0, ops: 0, gaps: { count, submits: 0, longest: null } };
    });
  }

  /**
   * Adds a step and returns its checked passes. They are empty if the adapter has no timestamps.
   *
   * @param submits indices of the dispatches that begin a submit
   */
  add(raw: readonly RawPass[], submits: readonly number[] = []): StepPasses {
    this.#steps++;
    if (raw.length === 0) return [];
    const passes = this.#clean(raw);
    const times = passes.map((pass) => pass === null ? NaN : Number(pass.end - pass.begin));
    this.#keep(times);
    times.forEach((ticks, i) => addTo(this.#dispatches[i]!, ticks));
    this.#members.forEach((members, op) => addTo(this.#ops[op]!, sumOf(times, members)));
    const origin = passes.find((pass) => pass !== null)?.begin ?? 0n;
    for (const phase of this.#phases) {
      const own = passes.filter((_, i) => this.#phaseOf[i] === phase.phase);
      if (own.includes(null)) continue;
      phase.steps++;
      // The time between two runs of a phase belongs to other phases
      passes.forEach((pass, i) => {
        if (this.#phaseOf[i] !== phase.phase) return;
        if (this.#phaseOf[i - 1] !== phase.phase) phase.interval -= Number(pass!.begin - origin);
        else addGap(phase.gaps, Number(pass!.begin - passes[i - 1]!.end), i, submits.includes(i));
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
    return this.#ops.map((times, op) => ({ ...times, median: this.#median(this.#members[op]!) }));
  }

  /** Times by dispatch, in the order in which the dispatches run. */
  get dispatches(): readonly OpTimes[] {
    return this.#dispatches.map((times, i) => ({ ...times, median: this.#median([i]) }));
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

  #keep(times: readonly number[]): void {
    const place = this.#seen < KEPT_STEPS ? this.#seen : this.#random.below(this.#seen + 1);
    this.#seen++;
    if (place >= KEPT_STEPS) return;
    this.#kept[place] = Float64Array.from(times);
  }

  /** Returns the median over the kept steps of the time of some dispatches together. */
  #median(dispatches: readonly number[]): number {
    const times = Float64Array.from(this.#kept, (step) => sumOf(step, dispatches))
      .filter((ticks) => !Number.isNaN(ticks)).sort();
    const middle = times.length >> 1;
    return times.length % 2 === 1 ? times[middle]! : (times[middle - 1]! + times[middle]!) / 2;
  }

  #clean(raw: readonly RawPass[]): StepPasses {
    const { passes, defects, resolution, last } = cleanPasses(raw, this.#last);
    this.#last = last;
    this.#defects = addDefects(this.#defects, defects);
    if (resolution !== null) this.#resolution = Math.min(this.#resolution ?? Infinity, resolution);
    return passes;
  }
}

function noSums(): Sums {
  return { calls: 0, total: 0, min: Infinity, max: -Infinity };
}

/** Returns the sum of the times of these dispatches; NaN if one is unusable. */
function sumOf(times: ArrayLike<number>, dispatches: readonly number[]): number {
  return dispatches.reduce((sum, i) => sum + times[i]!, 0);
}

function addGap(gaps: Mutable<PhaseGaps>, ticks: number, before: number, submit: boolean): void {
  if (submit) gaps.submits += ticks;
  if (gaps.longest === null || ticks > gaps.longest.ticks) gaps.longest = { ticks, before };
}

function addTo(times: Sums, ticks: number): void {
  if (Number.isNaN(ticks)) return;
  times.calls++;
  times.total += ticks;
  if (ticks < times.min) times.min = ticks;
  if (ticks > times.max) times.max = ticks;
}
