import { median } from "../core/statistics.ts";
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

/** Device time of a phase in one step, in device ticks. */
export interface PhaseStep {
  /** Time from the begin of the first dispatch to the end of the last, summed over the phase's runs of dispatches. */
  readonly interval: number;
  /** Sum of the times of the dispatches. */
  readonly ops: number;
  /** Longest gap between consecutive dispatches of the phase; 0 without gaps. */
  readonly longestGap: number;
  /** Sum of the gaps between dispatches of two submits. */
  readonly submitGaps: number;
}

/** Device time of a phase over the steps in which all its dispatches were timed, in device ticks. */
export interface PhaseTimes {
  readonly phase: string;
  readonly steps: number;
  /** Median of each value over the steps, which one stalled step does not move; NaN without steps. */
  readonly median: PhaseStep;
  /** Sum of the intervals over the steps, and the longest. */
  readonly total: number;
  readonly max: number;
  /** Gaps of a step between consecutive dispatches. */
  readonly gaps: number;
  /** Longest gap of all steps, and the index of the op that follows it; null without gaps. */
  readonly longest: { readonly ticks: number; readonly before: number } | null;
}

/** Steps whose times are kept for medians. */
const KEPT_STEPS = 512;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Sums = Mutable<Omit<OpTimes, "median">>;

/** Values of a phase in a step, in the order in which they are kept. */
const PHASE_VALUES = ["interval", "ops", "longestGap", "submitGaps"] as const;

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
  readonly #opOf: readonly number[];
  readonly #dispatches: readonly Sums[];
  readonly #ops: readonly Sums[];
  /** Times of the dispatches of the kept steps; NaN where a time is unusable. */
  readonly #kept: Float64Array[] = [];
  /** Values of the phases in the kept steps, one phase after the other; NaN where a time is unusable. */
  readonly #keptPhases: Float64Array[] = [];
  readonly #random = new RandomStream(0);
  #seen = 0;
  readonly #phases: readonly Mutable<Omit<PhaseTimes, "median">>[];
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
    this.#opOf = ops;
    this.#members = [...Map.groupBy(ops.keys(), (i) => ops[i]!).values()];
    this.#dispatches = phases.map(noSums);
    this.#ops = this.#members.map(noSums);
    this.#phases = [...new Set(phases)].map((phase) => {
      const count = phases.filter((own, i) => own === phase && phases[i - 1] === phase).length;
      return { phase, steps: 0, total: 0, max: -Infinity, gaps: count, longest: null };
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
    times.forEach((ticks, i) => addTo(this.#dispatches[i]!, ticks));
    this.#members.forEach((members, op) => addTo(this.#ops[op]!, sumOf(times, members)));
    const phases = this.#phases.map((phase) => this.#addPhase(phase, passes, submits));
    this.#keep(times, phases.flatMap((step) => PHASE_VALUES.map((name) => step?.[name] ?? NaN)));
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
    return this.#phases.map((times, i) => {
      const median = (name: keyof PhaseStep) => {
        const at = i * PHASE_VALUES.length + PHASE_VALUES.indexOf(name);
        return medianOf(Float64Array.from(this.#keptPhases, (step) => step[at]!));
      };
      const [interval, ops] = [median("interval"), median("ops")];
      return {
        ...times,
        median: { interval, ops, longestGap: median("longestGap"), submitGaps: median("submitGaps") },
      };
    });
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

  /** Adds a phase of a step. Returns null if one of its times is unusable. */
  #addPhase(
    phase: Mutable<Omit<PhaseTimes, "median">>,
    passes: StepPasses,
    submits: readonly number[],
  ): PhaseStep | null {
    const step = { interval: 0, ops: 0, longestGap: 0, submitGaps: 0 };
    const origin = passes.find((pass) => pass !== null)?.begin ?? 0n;
    let longest = phase.longest;
    for (const [i, pass] of passes.entries()) {
      if (this.#phaseOf[i] !== phase.phase) continue;
      if (pass === null) return null;
      step.ops += Number(pass.end - pass.begin);
      // The time between two runs of a phase belongs to other phases
      if (this.#phaseOf[i - 1] !== phase.phase) step.interval -= Number(pass.begin - origin);
      else {
        const ticks = Number(pass.begin - passes[i - 1]!.end);
        step.longestGap = Math.max(step.longestGap, ticks);
        if (submits.includes(i)) step.submitGaps += ticks;
        if (longest === null || ticks > longest.ticks) longest = { ticks, before: this.#opOf[i]! };
      }
      if (this.#phaseOf[i + 1] !== phase.phase) step.interval += Number(pass.end - origin);
    }
    phase.steps++;
    phase.total += step.interval;
    phase.max = Math.max(phase.max, step.interval);
    phase.longest = longest;
    return step;
  }

  #keep(times: readonly number[], phases: readonly number[]): void {
    const place = this.#seen < KEPT_STEPS ? this.#seen : this.#random.below(this.#seen + 1);
    this.#seen++;
    if (place >= KEPT_STEPS) return;
    this.#kept[place] = Float64Array.from(times);
    this.#keptPhases[place] = Float64Array.from(phases);
  }

  /** Returns the median over the kept steps of the time of some dispatches together. */
  #median(dispatches: readonly number[]): number {
    return medianOf(Float64Array.from(this.#kept, (step) => sumOf(step, dispatches)));
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

/** Returns the median of the values that are not NaN; NaN without any. */
function medianOf(values: Float64Array): number {
  return median([...values].filter((value) => !Number.isNaN(value)));
}

function addTo(times: Sums, ticks: number): void {
  if (Number.isNaN(ticks)) return;
  times.calls++;
  times.total += ticks;
  if (ticks < times.min) times.min = ticks;
  if (ticks > times.max) times.max = ticks;
}
