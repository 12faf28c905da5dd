import assert from "node:assert/strict";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../../runtime/data/loader/loader.ts";
import { chooseWorkers } from "../../../runtime/data/loader/worker_choice.ts";
import { DEFAULTS, take } from "../fixtures.ts";

/** Returns a loader of batches of 10 samples that advances the clock by `ms` milliseconds for each. */
function rated(clock: { now: number }, numWorkers: number, ms: number): Promise<Loader> {
  const next = () => {
    clock.now += ms;
    return Promise.resolve({ size: 10, release: () => {} });
  };
  const close = () => Promise.resolve();
  return Promise.resolve({ numWorkers, slots: null, next, [Symbol.asyncDispose]: close } as unknown as Loader);
}

/** Chooses among such loaders on 8 cores, by a clock that only they advance. */
async function choose(msOf: (numWorkers: number) => number) {
  const clock = { now: 0 };
  const { now } = performance;
  performance.now = () => clock.now;
  try {
    return await chooseWorkers((n) => rated(clock, n, msOf(n)), 0, 8);
  } finally {
    performance.now = now;
  }
}

Deno.test("the fewest workers within 5 % of the fastest are chosen", async () => {
  const scaling = await choose((n) => 40 / Math.min(Math.max(n, 1), 4));
  assert.equal(scaling.chosen, 4);
  assert.deepEqual(scaling.measured.map(({ numWorkers }) => numWorkers), [0, 1, 2, 4, 8]);
  assert.equal(scaling.measured.find(({ numWorkers }) => numWorkers === 4)!.samplesPerSecond, 1000);
  assert.equal((await choose((n) => 10 + 10 * n)).chosen, 0);
  assert.equal((await choose((n) => n === 2 ? 10.3 : n === 4 ? 10 : 20)).chosen, 2);
});

Deno.test("numWorkers auto measures, reports its measurements and changes no batch", async () => {
  const spec = syntheticImages({ height: 32, width: 32, classes: 3, length: 64 });
  await using direct = await createLoader(spec, DEFAULTS);
  await using loader = await createLoader(spec, { ...DEFAULTS, numWorkers: "auto" });
  assert.equal(direct.choice, null);
  assert.ok(loader.choice!.measured.length >= 2);
  assert.ok(loader.choice!.measured.every(({ samplesPerSecond }) => samplesPerSecond > 0));
  assert.equal(loader.numWorkers, loader.choice!.chosen);
  assert.deepEqual(await take(loader, 8), await take(direct, 8));
});
