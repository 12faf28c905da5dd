import assert from "node:assert/strict";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { DEFAULTS, type Kept, rejects, take } from "../fixtures.ts";
import { moduleSpec } from "./module_spec.ts";

function make(name: string, options: Partial<LoaderOptions> = {}) {
  return createLoader(moduleSpec(name), { ...DEFAULTS, layout: "row", ...options });
}

function samples(batches: readonly Kept[]): number[] {
  return batches.flatMap(({ target }) => [...target]);
}

const WAYS: readonly Partial<LoaderOptions>[] = [
  { numWorkers: 0 },
  { numWorkers: 1 },
  { numWorkers: 2, prefetch: 3 },
  { numWorkers: 4, sharedMemory: false },
];

Deno.test("a source that answers with promises gives the same batches whatever the workers", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("answers_late", options);
    return await take(loader, 18);
  };
  const expected = await kept({});
  assert.deepEqual(samples(expected.slice(0, 8)).sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i));
  for (const { input, target } of expected) target.forEach((label, i) => assert.equal(input[2 * i], label));
  for (const options of WAYS) assert.deepEqual(await kept(options), expected, JSON.stringify(options));
});

Deno.test("a source that cannot be indexed is shuffled through a buffer, and gives the same batches", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("streams", { batchSize: 10, shuffleBuffer: 20, ...options });
    return await take(loader, 26);
  };
  const expected = await kept({});
  const first = samples(expected.slice(0, 12));
  assert.deepEqual(first.toSorted((a, b) => a - b), Array.from({ length: 120 }, (_, i) => i));
  first.forEach((sample, place) => assert.ok(sample < place + 20));
  assert.notDeepEqual(samples(expected.slice(12, 24)), first);
  for (const options of WAYS) assert.deepEqual(await kept(options), expected, JSON.stringify(options));
  const inOrder = await kept({ shuffle: false, numWorkers: 2 });
  assert.deepEqual(samples(inOrder.slice(0, 12)), Array.from({ length: 120 }, (_, i) => i));
  await rejects(make("streams", { onError: "skip" }), /onError is "skip", but the samples of this source come in one/);
});

Deno.test("a source that throws is told with its sample, batch and cause", async () => {
  for (const options of WAYS) {
    await using loader = await make("throws", { ...options, shuffle: false });
    await rejects(loader.next(), /Sample 3 \(batch 0\): .*no sample 3 here/s);
  }
});

Deno.test("a source that throws now and then is skipped in the same way whatever the workers", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("throws", { ...options, onError: "skip" });
    const batches = await take(loader, 16);
    assert.ok(loader.profile().skipped >= 16);
    return batches;
  };
  const expected = await kept({});
  assert.ok(samples(expected).every((sample) => sample % 5 !== 3));
  for (const options of WAYS) assert.deepEqual(await kept(options), expected);
});

Deno.test("a promise that is not kept in time is told with its worker, batch and sample", async () => {
  for (const options of WAYS) {
    await using loader = await make("never_answers", { ...options, shuffle: false, timeout: 100, startBatch: 1 });
    const rest = async () => {
      for (let i = 0; i < 8; i++) await take(loader, 1);
    };
    const worker = options.numWorkers === 0 ? "^" : `^Data worker \\d of ${options.numWorkers}: `;
    await rejects(rest(), new RegExp(`${worker}Sample 11 \\(batch 2\\): the source has not answered in 0\\.1 s`));
  }
});

Deno.test("a promise that is not kept in time is skipped, and one that is kept too late changes nothing", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("never_answers", { ...options, onError: "skip", timeout: 60 });
    const batches = await take(loader, 6);
    await new Promise((resolve) => setTimeout(resolve, 450));
    return [...batches, ...await take(loader, 10)];
  };
  const expected = await kept({});
  assert.ok(samples(expected).every((sample) => sample !== 11));
  for (const { input, target } of expected) target.forEach((label, i) => assert.equal(input[2 * i], label));
  for (const options of WAYS.slice(1)) assert.deepEqual(await kept(options), expected);
});

Deno.test("a source that never returns is told with its worker, batch and sample", async () => {
  await using loader = await make("never_returns", { numWorkers: 1, shuffle: false, timeout: 100 });
  await take(loader, 2);
  await rejects(loader.next(), /Data worker 0 of 1 is stuck in sample 11 of batch 2: no answer in 1\.\d+ s/);
});

Deno.test("a worker that is killed is told, and what came before it is delivered", async () => {
  for (const sharedMemory of [true, false]) {
    await using loader = await make("ends_process", { numWorkers: 1, shuffle: false, sharedMemory });
    assert.deepEqual(samples(await take(loader, 2)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await rejects(loader.next(), /Data worker 0 of 1 ended unexpectedly with exit status 9, while it made batch 2/);
  }
});
