import { deepEqual } from "node:assert/strict";
import type { Arm } from "../../runtime/experiment/arm.ts";
import { Attempts } from "../../runtime/experiment/attempts.ts";
import { timeOps } from "../../runtime/experiment/op_rounds.ts";
import { RunProgress } from "../../runtime/experiment/run_progress.ts";

/** Times the ops of two arms and returns how often those of each were timed. */
async function timed(opRounds: number | null, opError: number | null): Promise<number[]> {
  const counts = [0, 0];
  const arms = counts.map((_, i) => ({
    name: `arm ${i}`,
    running: true,
    opTiming: { error: opError, time: () => Promise.resolve(void counts[i]!++) },
  } as unknown as Arm)); // the parts that rounds use
  await timeOps(arms, {
    attempts: new Attempts(arms, null, () => false),
    progress: new RunProgress(() => {}, { arms: 2, steps: 1 }),
    seed: 1,
    setups: { before: () => Promise.resolve() },
    opRounds,
    interrupted: () => false,
  });
  return counts;
}

Deno.test("measure.opRounds sets the number of rounds, regardless of how precise the times are", async () => {
  deepEqual(await timed(1, 1), [1, 1]);
  deepEqual(await timed(12, 0), [12, 12]);
});

Deno.test("without it, rounds end once the times are precise, and not before the tenth", async () => {
  deepEqual(await timed(null, 0.01), [10, 10]);
  deepEqual(await timed(null, null), [10, 10], "arms without times");
});
