/**
 * Which transforms run together in one pass.
 *
 * @module
 */
import type { Step } from "./definitions.ts";

/** Transforms `begin` to `end - 1` of a chain, which run as one pass; a pass may have none and only copy. */
export interface Group {
  readonly begin: number;
  readonly end: number;
  /** One transform of whole samples. */
  readonly whole: boolean;
}

/**
 * Groups as long as can be, or of one transform each where `fuse` is false. The last one is a pass, which converts samples
 * to what a batch wants, and a transform of whole samples comes after one, so that it has values that it may change.
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

/** What a pass already does. */
class Fusing {
  #padsOrHoles = false;
  #resampled = false;
  #points = false;
  #retyped = false;

  /**
   * Padding after a point begins a new pass, since there the padding is another zero; a resize needs plain pixels of the
   * type that it is to make.
   */
  takes({ action }: Step): boolean {
    if (action.act === "resample") return !(this.#resampled || this.#points || this.#padsOrHoles || this.#retyped);
    return !(action.act === "window" && action.pads && this.#points);
  }

  add({ action, input, output }: Step): void {
    if (action.act === "window") this.#padsOrHoles ||= action.pads || action.holes;
    else if (action.act === "resample") this.#resampled = true;
    else if (action.act === "point") this.#points = true;
    else if (input.dtype !== output.dtype) this.#retyped = true;
  }
}
