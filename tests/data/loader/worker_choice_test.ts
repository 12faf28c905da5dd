import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { syntheticImages } from "../../../runtime/data/factories.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../../runtime/data/loader/loader.ts";
import { chooseWorkers } from "../../../runtime/data/loader/worker_choice.ts";
import { DEFAULTS, take } from "../fixtures.ts";

/** A loader of batches of 10 samples that takes `ms` milliseconds for each. */
function rated(numWorkers: number, ms: number): Promise<Loader> {
  const next = async () => {
    const end = performance.now() + ms;
    while (performance.now() < end) await new Promise((resolve) => setTimeout(resolve, ms / 4));
    return { size: 10, release: () => {} };
  };
  const close = () => Promise.resolve();
  return Promise.resolve({ numWorkers, slots: null, next, [Symbol.asyncDispose]: close } as unknown as Loader);
}

Deno.test("the fewest workers are chosen that are as fast as any", async () => {
  const scaling = await chooseWorkers((n) => rated(n, 40 / Math.min(Math.max(n, 1), 4)));
  assert.equal(scaling.chosen, 4);
  const numbers = scaling.measured.map(({ numWorkers }) => numWorkers);
  assert.deepEqual(numbers.slice(0, 4), [0, 1, 2, 4]);
  assert.ok(numbers.at(-1)! >= availableParallelism());
  const rate = scaling.measured.find(({ numWorkers }) => numWorkers === 4)!.samplesPerSecond;
  assert.ok(rate > 300 && rate <= 1000, `${rate}`);
  assert.equal((await chooseWorkers((n) => rated(n, 10 + 10 * n))).chosen, 0);
});

Deno.test("numWorkers auto measures, says what it has measured, and changes no batch", async () => {
  const spec = syntheticImages({ height: 32, width: 32, classes: 3, length: 64 });
  await using direct = await createLoader(spec, DEFAULTS);
  await using loader = await createLoader(spec, { ...DEFAULTS, numWorkers: "auto" });
  assert.equal(direct.choice, null);
  assert.ok(loader.choice!.measured.length >= 2);
  assert.ok(loader.choice!.measured.every(({ samplesPerSecond }) => samplesPerSecond > 0));
  assert.equal(loader.numWorkers, loader.choice!.chosen);
  assert.deepEqual(await take(loader, 8), await take(direct, 8));
});
