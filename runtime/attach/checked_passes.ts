import { clockStep } from "../record/clock_step.ts";
import { addDefects, cleanPasses, NO_DEFECTS, type PassTimes } from "../record/device_samples.ts";
import type { HostAxis } from "./host_axis.ts";
import type { PassesRecord } from "./records.ts";

/** A pass as the device wrote it, with the host's time before its submit in ms. */
export interface SubmittedPass extends PassTimes {
  readonly submitted: number;
}

/** Times of the passes of one reading. */
export type CheckedPasses = Pick<PassesRecord, "begin" | "end" | "defects" | "resolution">;

/** Checks the timestamps of passes, reading by reading, and converts them to the host's axis. */
export class PassChecker {
  readonly #axis: HostAxis;
  #last = 0n;

  constructor(axis: HostAxis) {
    this.#axis = axis;
  }

  /**
   * Checks the passes of one reading. They may overlap. Passes that begin and end in the same tick of the clock are kept with
   * no length, since runs of them have one.
   *
   * @param passes passes in the order of execution
   * @param done host time in ms at which the device was done with all of them
   */
  check(passes: readonly SubmittedPass[], done: number): CheckedPasses {
    let defects = NO_DEFECTS;
    let [still, overlapping] = [0, 0];
    const since = this.#last;
    const times = passes.map(({ begin, end, submitted }): PassTimes | null => {
      if (begin === end && begin === this.#axis.still) {
        still++;
        return null;
      }
      const placed = this.#axis.place({ begin, end }, { submitted, done });
      const cleaned = cleanPasses([placed], since);
      defects = addDefects(defects, cleaned.defects);
      const kept = cleaned.defects.zero > 0 ? { begin: placed.begin, end: placed.end } : cleaned.passes[0] ?? null;
      if (kept === null) return null;
      if (kept.begin < this.#last) overlapping++;
      if (kept.end > this.#last) this.#last = kept.end;
      return kept;
    });
    const step = clockStep(passes.flatMap(({ begin, end }, i) => times[i] === null ? [] : [begin, end]));
    const toMs = (time: bigint | undefined) => time === undefined ? null : inNanoseconds(this.#axis.toHost(time));
    return {
      begin: times.map((time) => toMs(time?.begin)),
      end: times.map((time) => toMs(time?.end)),
      defects: occurred({ ...defects, overlapping, still }),
      resolution: step === null ? null : step * this.#axis.nsPerTick,
    };
  }
}

/** Returns the defects that occurred. */
function occurred(defects: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(defects).filter(([, count]) => count > 0));
}

/** Rounds a time in ms to nanoseconds. */
function inNanoseconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 1e6) / 1e6;
}
