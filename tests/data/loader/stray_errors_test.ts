/** Errors of user code that arrive outside of its call. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { source } from "../../../runtime/data/sources/module.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../../runtime/data/loader/loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { DEFAULTS, take, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

/** Calls `body` with a loader of a module whose `get` does `fault` at sample 11 of 40; batches have 5 samples. */
async function withFault(
  fault: string,
  options: Partial<LoaderOptions>,
  body: (loader: Loader) => Promise<void>,
): Promise<void> {
  const text = `export const length = 40;
export function get(i) {
  const sample = { input: new Float32Array(2), target: i };
  if (i === 11) {
${fault}
  }
  return sample;
}`;
  await withFolder({ "own.ts": new TextEncoder().encode(text) }, async (dir) => {
    const spec = source({ module: join(dir, "own.ts"), input: { shape: [2] }, classes: 40 });
    await using loader = await createLoader(spec, { ...DEFAULTS, layout: "row", shuffle: false, ...options });
    await body(loader);
  });
}

const THREADS = [[0, "main thread"], [1, "data worker 0 of 1"]] as const;

const FAULTS: readonly [fault: string, message: string][] = [
  ["    Promise.reject(new Error('torn'));", "a promise that nothing awaits was rejected: Error: torn"],
  ["    (async () => { await 0; throw new TypeError('torn'); })();", "was rejected: TypeError: torn"],
  ["    queueMicrotask(() => { throw new Error('torn'); });", "a callback failed: Error: torn"],
  [
    "    setTimeout(() => { throw new Error('torn'); });\n    return new Promise((done) => setTimeout(() => done(sample), 50));",
    "a timer's callback failed: Error: torn",
  ],
  ["    setTimeout(() => Promise.reject(7));\n    return new Promise(() => {});", "was rejected: 7"],
];

Deno.test("an error outside of the call names the thread, the sample and the file", async () => {
  for (const [fault, message] of FAULTS) {
    for (const [numWorkers, thread] of THREADS) {
      await withFault(fault, { numWorkers }, async (loader) => {
        await take(loader, 2);
        const place = fault.includes("(7)") ? String.raw`own\.ts` : String.raw`own\.ts:5:\d+`;
        await rejects(
          loader.next(),
          new RegExp(`^Sample 11 \\(batch 2\\): ${thread}: .*${message} \\(/.*${place}\\); catch it where it occurs$`),
        );
      });
    }
  }
});

Deno.test("samples with errors outside of their call are replaced with onError: skip", async () => {
  for (const [fault, message] of FAULTS) {
    const found = await Promise.all(THREADS.map(async ([numWorkers]) => {
      let targets: number[] = [];
      await withFault(fault, { numWorkers, onError: "skip" }, async (loader) => {
        targets = (await take(loader, 4)).flatMap(({ target }) => [...target]);
        const { skipped, skipReasons } = loader.profile();
        assert.equal(skipped, 1);
        assert.match(skipReasons[0]!, new RegExp(`^Sample 11 .*${message}`));
      });
      return targets;
    }));
    assert.deepEqual(found[0], found[1]);
    assert.deepEqual(found[0]!.toSpliced(11, 1), [...Array(20).keys()].toSpliced(11, 1));
    assert.notEqual(found[0]![11], 11);
  }
});

Deno.test("an error that arrives later ends the next batch and names its own sample", async () => {
  const fault = "    setTimeout(() => { throw new Error('torn'); }, 20);";
  await withFault(fault, { numWorkers: 0 }, async (loader) => {
    await take(loader, 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await rejects(loader.next(), /^Sample 11 \(batch 2\): main thread: a timer's callback failed: Error: torn/);
  });
});
