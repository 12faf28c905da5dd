import type { Block } from "../../result/schema.ts";

/** Wall time per sample: ms. Null for a block that has no time or no samples. */
export function timePerSample({ wall, samples }: Block): number | null {
  const time = wall / samples;
  return Number.isFinite(time) && time > 0 ? time : null;
}

/** Log of the time per sample by round, in the order of the rounds; of a round that is there twice, the later block. */
export function logTimes(blocks: readonly Block[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const block of blocks) {
    const time = timePerSample(block);
    if (time !== null) times.set(block.round, Math.log(time));
  }
  return new Map([...times].sort(([a], [b]) => a - b));
}

/**
 * Log of the speed-up over the baseline's block of the same round: positive where less time is taken. Rounds that one of
 * the two lacks are left out.
 */
export function logSpeedups(blocks: readonly Block[], baseline: readonly Block[]): number[] {
  const reference = logTimes(baseline);
  return [...logTimes(blocks)].flatMap(([round, time]) => {
    const base = reference.get(round);
    return base === undefined ? [] : [base - time];
  });
}
