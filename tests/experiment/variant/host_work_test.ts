import assert from "node:assert/strict";
import type { Result } from "../../../mod.ts";
import { DEFAULT_PROFILE } from "../../../runtime/record/schedule.ts";
import { loaderOnly, MemoryRecorder, runScenario } from "../running.ts";

/** Returns the number of batches loaded and of measured steps of each variant. */
function loads({ variants }: Result): [name: string, calls: number | undefined, steps: number][] {
  return variants.map(({ name, profile, blocks }) => [
    name,
    profile!.host.find((work) => work.name === "load dataset")?.calls,
    blocks.reduce((sum, block) => sum + block.steps.length, 0),
  ]);
}

Deno.test("the host's work excludes steps that drain the workers' queues", async () => {
  const scenario = loaderOnly({
    loader: { batchSize: 1, numWorkers: 2 },
    measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 3 },
    variants: { a: {}, b: { loader: { shuffle: false } } },
  });
  assert.deepEqual(loads(await runScenario(scenario, { profile: DEFAULT_PROFILE })), [["a", 12, 12], ["b", 12, 12]]);
});

Deno.test("a resumed run includes the host's work of earlier sittings", async () => {
  const scenario = loaderOnly({ measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 3 } });
  const runRecorder = new MemoryRecorder();
  const first = await runScenario(scenario, {
    runRecorder,
    profile: DEFAULT_PROFILE,
    stops: ({ message }) => message === "round 3/3",
  });
  assert.equal(first.procedure!.stoppedBy, "interrupted");
  const again = await runScenario(scenario, { runRecorder: runRecorder.again(), profile: DEFAULT_PROFILE });
  assert.equal(again.procedure!.resumed, 1);
  assert.deepEqual(loads(again), [["baseline", 12, 12]]);
});
