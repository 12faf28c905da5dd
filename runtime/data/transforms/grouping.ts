/**
 * Groups of transforms that run together in one pass.
 *
 * @module
 */
import type { Step } from "./definitions.ts";

/** Transforms `begin` to `end - 1` of a chain, which run as one pass. An empty group only copies. */
export interface Group {
  readonly begin: number;
  readonly end: number;
  /** True for one transform of whole samples. */
  readonly whole: boolean;
}

/**
 * Groups transforms: into the longest possible groups, or one each if `fuse` is false. The last group is a pass that
 * converts samples for the batch. A transform of whole samples always follows a pass, whose output it may change.
 */
export function groupSteps(steps: readonly Step[], fuse: boolean): Group[] {
  const groups: Group[] = [];
  let begin = 0;
  const close = (end: number, whole: boolean) => {
    groups.push({ begin, end, whole });
    begin = end;
  };
  let state = new Fusing();
  steps.forEach((step, i) => {
    if (step.action.act === "whole") {
      if (i > begin || i === 0) close(i, false);
      close(i + 1, true);
      state = new Fusing();
      return;
    }
    if (i > begin && !(fuse && state.takes(step))) {
      close(i, false);
      state = new Fusing();
    }
    state.add(step);
  });
  if (!fuse && steps.length > begin) close(steps.length, false);
  close(steps.length, false);
  return groups;
}

/** State of the pass being grouped. */
class Fusing {
  #padsOrHoles = false;
  #resampled = false;
  #points = false;
  #retyped = false;

  /**
   * Returns true if a step can join the pass. Padding after a point begins a new pass, since its zeros skip the point; a
   * resize needs unpadded pixels of its output type.
   */
  takes({ action }: Step): boolean {
    if (action.act === "resample") return !(this.#resampled || this.#points || this.#padsOrHoles || this.#retyped);
    return !(action.act === "window" && action.pads && this.#points);
  }

  add({ action, input, output }: Step): void {
    if (action.act === "window") this.#padsOrHoles ||= Boolean(action.pads || action.holes);
    else if (action.act === "resample") this.#resampled = true;
    else if (action.act === "point") this.#points = true;
    else if (input.dtype !== output.dtype) this.#retyped = true;
  }
}
