import type { Block } from "../../result/schema.ts";
import type { Difference } from "./setups.ts";

/** Returns the wall time per sample in ms; null for a block without time or samples. */
export function timePerSample({ wall, samples }: Block): number | null {
  const time = wall / samples;
  return Number.isFinite(time) && time > 0 ? time : null;
}

/** A round of an arm. */
export interface RoundTime {
  /** Log of the time per sample. */
  readonly log: number;
  /** Number of the set-up; 0 in results of earlier versions, which had a single one. */
  readonly setup: number;
}

/** Returns the times by round, in order; of repeated rounds, the last block. */
export function logTimes(blocks: readonly Block[]): Map<number, RoundTime> {
  const times = new Map<number, RoundTime>();
  for (const block of blocks) {
    const time = timePerSample(block);
    if (time !== null) times.set(block.round, { log: Math.log(time), setup: block.setup ?? 0 });
  }
  return new Map([...times].sort(([a], [b]) => a - b));
}

/**
 * Returns the logs of the speed-ups over the baseline's block of the same round; positive means faster. Skips rounds that
 * either lacks.
 */
export function logSpeedups(blocks: readonly Block[], baseline: readonly Block[]): Difference[] {
  const reference = logTimes(baseline);
  return [...logTimes(blocks)].flatMap(([round, { log, setup }]) => {
    const base = reference.get(round);
    return base === undefined ? [] : [{ log: base.log - log, setup }];
  });
}
