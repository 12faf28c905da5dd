import type { Block } from "../../result/schema.ts";

/** Returns the wall time per sample in ms; null for a block without time or samples. */
export function timePerSample({ wall, samples }: Block): number | null {
  const time = wall / samples;
  return Number.isFinite(time) && time > 0 ? time : null;
}

/** Returns the log of the time per sample by round, in order; of repeated rounds, the last block. */
export function logTimes(blocks: readonly Block[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const block of blocks) {
    const time = timePerSample(block);
    if (time !== null) times.set(block.round, Math.log(time));
  }
  return new Map([...times].sort(([a], [b]) => a - b));
}

/**
 * Returns the logs of the speed-ups over the baseline's block of the same round; positive means faster. Skips rounds that
 * either lacks.
 */
export function logSpeedups(blocks: readonly Block[], baseline: readonly Block[]): number[] {
  const reference = logTimes(baseline);
  return [...logTimes(blocks)].flatMap(([round, time]) => {
    const base = reference.get(round);
    return base === undefined ? [] : [base - time];
  });
}
