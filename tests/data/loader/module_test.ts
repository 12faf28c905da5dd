import assert from "node:assert/strict";
import { join } from "node:path";
import { source } from "../../../runtime/data/sources/module.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../../runtime/data/loader/loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { sampled } from "../../support/full.ts";
import { DEFAULTS, type Kept, take, withFolder } from "../fixtures.ts";
import { moduleSpec } from "./module_spec.ts";
import { rejects } from "../../support/refuses.ts";

function make(name: string, options: Partial<LoaderOptions> = {}) {
  return createLoader(moduleSpec(name), { ...DEFAULTS, layout: "row", ...options });
}

function samples(batches: readonly Kept[]): number[] {
  return batches.flatMap(({ target }) => [...target]);
}

const WAYS: readonly Partial<LoaderOptions>[] = sampled([
  { numWorkers: 0 },
  { numWorkers: 1 },
  { numWorkers: 2, prefetch: 3 },
  { numWorkers: 4, sharedMemory: false },
], 3);

Deno.test("a source that returns promises gives the same batches with any number of workers", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("answers_late", options);
    return await take(loader, 18);
  };
  const expected = await kept({});
  assert.deepEqual(samples(expected.slice(0, 8)).sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i));
  for (const { input, target } of expected) target.forEach((label, i) => assert.equal(input[2 * i], label));
  for (const options of WAYS) assert.deepEqual(await kept(options), expected, JSON.stringify(options));
});

Deno.test("a sequential source is shuffled through a buffer and gives the same batches", async () => {
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
  await rejects(
    make("streams", { onError: "skip" }),
    /onError is "skip", but samples of this source arrive in one order/,
  );
});

/** Runs `body` with a loader of a module with 10 samples whose source is `text`. */
async function withModule<T>(text: string, options: Partial<LoaderOptions>, body: (loader: Loader) => Promise<T>) {
  const bytes = new TextEncoder().encode(`export const length = 10;\n${text}`);
  return await withFolder({ "own.ts": bytes }, async (dir) => {
    const spec = source({ module: join(dir, "own.ts"), input: { shape: [2] }, classes: 10 });
    await using loader = await createLoader(spec, { ...DEFAULTS, layout: "row", shuffle: false, ...options });
    return await body(loader);
  });
}

const SAMPLE = "{ input: new Float32Array(2), target: 0 }";

Deno.test("an invalid, failing or short stream is reported with what was expected", async () => {
  const cases: readonly [text: string, message: RegExp][] = [
    [
      "export function samples() { return 5; }",
      /own\.ts: samples\(0\) returned number; expected an iterable: make it a/,
    ],
    ["export function samples() {}", /samples\(0\) returned nothing; expected an iterable/],
    ["export async function samples() { return []; }", /samples\(0\) returned a promise; expected an iterable/],
    ["export function samples() { throw new Error('no disk'); }", /samples\(0\) failed: Error: no disk/],
    [`export function* samples() { yield ${SAMPLE}; throw 'torn'; }`, /Sample 1 .*sample 1 of samples\(.*failed: torn/],
    [
      `export async function* samples() { yield ${SAMPLE}; }`,
      /Sample 1 .*has ended after 1 samples, but its length is 10/,
    ],
  ];
  for (const [text, message] of cases) {
    for (const numWorkers of [0, 1]) {
      await withModule(text, { numWorkers }, async (loader) => await rejects(loader.next(), message));
    }
  }
});

Deno.test("a sample whose promise never settles is skipped in an otherwise synchronous source", async () => {
  const text = `export const get = (i) => i === 3 ? new Promise(() => {}) : { ...${SAMPLE}, target: i };`;
  for (const options of WAYS) {
    await withModule(text, { onError: "skip", timeout: 100, ...options }, async (loader) => {
      const found = samples(await take(loader, 2));
      assert.deepEqual(found.toSpliced(3, 1), [0, 1, 2, 4, 5, 6, 7, 8, 9]);
      assert.notEqual(found[3], 3);
      assert.equal(loader.profile().skipped, 1);
    });
  }
});

Deno.test("a source may return any thenable", async () => {
  const text = `export const get = (i) => ({ then: (done) => done({ ...${SAMPLE}, target: i }) });`;
  await withModule(text, {}, async (loader) => assert.deepEqual(samples(await take(loader, 1)), [0, 1, 2, 3, 4]));
});

Deno.test("targets that are not labels or not finite are reported with the module's path", async () => {
  const cases: readonly [target: string, dtype: "i32" | "f32", message: RegExp][] = [
    ["NaN", "i32", /returned NaN as its target; expected a class index 0\.\.9/],
    ["2 ** 33", "i32", /returned 8589934592 as its target; expected a class index/],
    ["NaN", "f32", /own one\.ts: get\(0\) returned NaN as its target; expected finite numbers/],
    ["1e39", "f32", /returned 1e\+39 as its target; expected finite numbers/],
    ["'7'", "f32", /returned string as its target; expected a number/],
  ];
  await withFolder({}, async (dir) => {
    for (const [i, [target, dtype, message]] of cases.entries()) {
      const text = `export const length = 9; export const get = () => ({ ...${SAMPLE}, target: ${target} });`;
      const path = join(dir, `${i} own one.ts`);
      Deno.writeTextFileSync(path, text);
      const spec = source({ module: path, input: { shape: [2] }, target: { dtype }, classes: 10 });
      await using loader = await createLoader(spec, { ...DEFAULTS, layout: "row", shuffle: false });
      await rejects(loader.next(), message);
    }
  });
});

Deno.test("a source that throws is reported with sample, batch and cause", async () => {
  for (const options of WAYS) {
    await using loader = await make("throws", { ...options, shuffle: false });
    await rejects(loader.next(), /Sample 3 \(batch 0\): .*no sample 3 here/s);
  }
});

Deno.test("samples at which a source throws are replaced equally with any number of workers", async () => {
  const kept = async (options: Partial<LoaderOptions>) => {
    await using loader = await make("throws", { ...options, onError: "skip" });
    const batches = await take(loader, 16);
    const { skipped } = loader.profile();
    assert.ok(skipped >= 16);
    loader.resetProfile();
    assert.equal(loader.profile().skipped, skipped, "what is not measured is not forgotten");
    return batches;
  };
  const expected = await kept({});
  assert.ok(samples(expected).every((sample) => sample % 5 !== 3));
  for (const options of WAYS) assert.deepEqual(await kept(options), expected);
});

Deno.test("a late promise is reported with worker, batch and sample", async () => {
  for (const options of WAYS) {
    await using loader = await make("never_answers", { ...options, shuffle: false, timeout: 100, startBatch: 1 });
    const rest = async () => {
      for (let i = 0; i < 8; i++) await take(loader, 1);
    };
    const worker = options.numWorkers === 0 ? "^" : `^Data worker \\d of ${options.numWorkers}: `;
    await rejects(
      rest(),
      new RegExp(`${worker}Sample 11 \\(batch 2\\): .*/never_answers\\.ts: the source has not answered in 0\\.1 s`),
    );
  }
});

Deno.test("a late promise is skipped, and its later answer changes nothing", async () => {
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

Deno.test("a source that never returns is reported with worker, batch and sample", async () => {
  await using loader = await make("never_returns", { numWorkers: 1, shuffle: false, timeout: 100 });
  await take(loader, 2);
  await rejects(
    loader.next(),
    /Data worker 0 of 1 is stuck in sample 11 of batch 2 \(.*never_returns\.ts\): no answer in [\d.]+ s/,
  );
});

Deno.test("a worker that dies is reported after the batches before it are delivered", async () => {
  for (const sharedMemory of [true, false]) {
    await using loader = await make("ends_process", { numWorkers: 1, shuffle: false, sharedMemory });
    assert.deepEqual(samples(await take(loader, 2)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await rejects(
      loader.next(),
      /Data worker 0 of 1 ended unexpectedly with exit status 9, while it made batch 2, at sample 11 \(\/.*ends_process\.ts\)/,
    );
  }
});
