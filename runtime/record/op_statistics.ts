import { addDefects, cleanPasses, type DefectCounts, NO_DEFECTS, type PassTimes } from "./device_samples.ts";

/** The ops of one profiled step on the device's clock, in order; null where a time cannot be used. */
export type OpPasses = readonly (PassTimes | null)[];

/** Device time of one op over the steps in which it was timed, in the device's ticks. */
export interface OpTimes {
  readonly calls: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/** A phase over the steps in which all of its ops were timed, in the device's ticks. */
export interface PhaseTimes {
  readonly phase: string;
  readonly steps: number;
  /** From the first op's begin to the last op's end, summed over the steps and over the runs of ops that it has in a step. */
  readonly interval: number;
  /** Op times, summed over the steps. */
  readonly ops: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Takes the passes of profiled steps as they come and keeps sums alone, so that a profile of thousands of steps is as
 * large as one of ten. Ticks stay whole numbers, which are exact up to 2^53: a hundred days in nanoseconds.
 */
export class OpStatistics {
  readonly #phaseOf: readonly string[];
  readonly #ops: Mutable<OpTimes>[];
  readonly #phases: Mutable<PhaseTimes>[];
  #steps = 0;
  #defects = NO_DEFECTS;
  #resolution: number | null = null;
  #last = 0n;

  /** @param phases the phase of each op, in the order in which they run */
  constructor(phases: readonly string[]) {
    this.#phaseOf = phases;
    this.#ops = phases.map(() => ({ calls: 0, total: 0, min: Infinity, max: -Infinity }));
    this.#phases = [...new Set(phases)].map((phase) => ({ phase, steps: 0, interval: 0, ops: 0 }));
  }

  /** Adds a step; returns its passes, sorted out. Empty where the adapter has no timestamps. */
  add(raw: readonly PassTimes[]): OpPasses {
    this.#steps++;
    if (raw.length === 0) return [];
    const passes = this.#sortOut(raw);
    passes.forEach((pass, i) => {
      if (pass !== null) addTo(this.#ops[i]!, pass);
    });
    const origin = passes.find((pass) => pass !== null)?.begin ?? 0n;
    for (const phase of this.#phases) {
      const own = passes.filter((_, i) => this.#phaseOf[i] === phase.phase);
      if (own.includes(null)) continue;
      phase.steps++;
      // What lies between two runs of a phase belongs to other phases
      passes.forEach((pass, i) => {
        if (this.#phaseOf[i] !== phase.phase) return;
        if (this.#phaseOf[i - 1] !== phase.phase) phase.interval -= Number(pass!.begin - origin);
        if (this.#phaseOf[i + 1] !== phase.phase) phase.interval += Number(pass!.end - origin);
      });
      phase.ops += own.reduce((sum, pass) => sum + Number(pass!.end - pass!.begin), 0);
    }
    return passes;
  }

  /** Takes the passes of a step that does not count. */
  skip(raw: readonly PassTimes[]): void {
    this.#last = cleanPasses(raw, this.#last).last;
  }

  /** By op, in the order in which they run. */
  get ops(): readonly OpTimes[] {
    return this.#ops;
  }

  /** In the order of a step. */
  get phases(): readonly PhaseTimes[] {
    return this.#phases;
  }

  get steps(): number {
    return this.#steps;
  }

  get defects(): DefectCounts {
    return this.#defects;
  }

  /** The smallest step of the device's clock that was seen: ns; null where there were too few passes to tell. */
  get resolution(): number | null {
    return this.#resolution;
  }

  #sortOut(raw: readonly PassTimes[]): OpPasses {
    const { passes, defects, resolution, last } = cleanPasses(raw, this.#last);
    this.#last = last;
    this.#defects = addDefects(this.#defects, defects);
    if (resolution !== null) this.#resolution = Math.min(this.#resolution ?? Infinity, resolution);
    return passes;
  }
}

function addTo(times: Mutable<OpTimes>, { begin, end }: PassTimes): void {
  const ticks = Number(end - begin);
  times.calls++;
  times.total += ticks;
  if (ticks < times.min) times.min = ticks;
  if (ticks > times.max) times.max = ticks;
}
