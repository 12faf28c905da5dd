import assert from "node:assert/strict";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { InterruptedError } from "../../../runtime/core/errors.ts";
import { source } from "../../../runtime/data/sources/module.ts";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderInternals, LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { DEFAULTS, take, until, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

/** Opens a loader with workers whose batches of 5 images take about 1 ms, plus `read` ms per image. */
function make(options: Partial<LoaderOptions> = {}, internals: LoaderInternals = {}, read = 0) {
  const spec = syntheticImages({ height: 64, width: 64, classes: 2, length: 100, delay: { read } });
  return createLoader(spec, { ...DEFAULTS, numWorkers: 2, ...options }, internals);
}

function worker(name: string): URL {
  return new URL(`../workers/${name}.ts`, import.meta.url);
}

Deno.test("the ring fills up, stays full and is refilled as batches are released", async () => {
  await using loader = await make({ prefetch: 2 });
  assert.equal(loader.slots, 5);
  assert.ok(await until(() => loader.queueDepth() === 5));
  const a = await loader.next();
  assert.ok(a.workMs > 0);
  assert.equal(loader.queueDepth(), 4);
  const held = a.tensors["input"]!.slice();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(a.tensors["input"], held);
  a.release();
  a.release();
  assert.ok(await until(() => loader.queueDepth() === 5));
});

Deno.test("holding all batches is an error instead of a hang, until one is released", async () => {
  await using loader = await make({ numWorkers: 1, prefetch: 1 });
  const [a, b] = [await loader.next(), await loader.next()];
  await assert.rejects(loader.next(), /All 2 batches of the ring are held; release one/);
  b.release();
  await assert.rejects(loader.next(), /are held/);
  a.release();
  const c = await loader.next();
  assert.equal(c.index, 2);
});

Deno.test("a paused loader makes no batches and resumes where it stopped", async () => {
  const expected = await (async () => {
    await using loader = await make({ numWorkers: 0 });
    return await take(loader, 12);
  })();
  await using loader = await make({}, {}, 4);
  const first = await take(loader, 3);
  loader.pause();
  const depth = loader.queueDepth();
  await assert.rejects(loader.next(), /The loader is paused/);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(loader.queueDepth() <= depth + 2, "each worker finishes the sample at hand, which may be a batch's last");
  loader.resume();
  assert.deepEqual([...first, ...await take(loader, 9)], expected);
});

Deno.test("a loader paused at the start makes no batch until it is resumed", async () => {
  // The thread begins while this one may have to wait for a core, so that a batch takes a second; a second thread would
  // take its time to start, in which the first makes its batch
  await using loader = await make({ numWorkers: 1 }, {}, 200);
  loader.pause();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(loader.queueDepth(), 0);
  loader.resume();
  assert.equal((await loader.next()).index, 0);
});

Deno.test("a worker that ends silently is reported with its batch", async () => {
  await using loader = await make({ numWorkers: 1, startBatch: 10 }, { workerUrl: worker("exits") });
  await take(loader, 1);
  await rejects(
    loader.next(),
    /Data worker 0 of 1 ended unexpectedly with exit status 7, while it made batch 11 \(batch 11 is due\); run with loader\.numWorkers=0/,
  );
  await rejects(loader.next(), /exit status 7/);
});

Deno.test("ready batches are delivered before the end of another worker is reported", async () => {
  await using loader = await make({ numWorkers: 2, prefetch: 2 }, { workerUrl: worker("exits") });
  const delivered = async () => {
    for (let i = 0;; i++) {
      assert.ok(i <= 2);
      await take(loader, 1);
    }
  };
  await rejects(delivered(), /Data worker [01] of 2 ended unexpectedly/);
});

Deno.test("a worker that throws is reported with the reason", async () => {
  await using loader = await make({ numWorkers: 1 }, { workerUrl: worker("throws") });
  await rejects(loader.next(), /Data worker 0 of 1 failed: out of paper, before its first batch \(batch 0 is due\)/);
});

Deno.test("a module that never finishes loading is reported after the time limit, with and without workers", async () => {
  const text = "await new Promise((resolve) => { globalThis.finishLoading = resolve; });";
  await withFolder({ "own.ts": new TextEncoder().encode(text) }, async (dir) => {
    const spec = source({ module: join(dir, "own.ts"), input: { shape: [2] }, classes: 10, length: 10 });
    for (const numWorkers of [0, 2]) {
      const load = async () => {
        const options = { ...DEFAULTS, layout: "row", numWorkers, timeout: 100 } as const;
        await using loader = await createLoader(spec, options, { openMs: 300 });
        await loader.next();
      };
      await rejects(load(), /own\.ts has not finished loading in 0\.3 s \(loader\.timeout=100\): check its top-level/);
    }
    // Otherwise Deno ends the process as soon as the event loop of the main thread is idle
    (globalThis as { finishLoading?: () => void }).finishLoading!();
  });
});

Deno.test("a source that hangs is reported after the timeout with worker, batch and sample; a slow one is left alone", async () => {
  {
    await using loader = await make({ numWorkers: 1, timeout: 300, startBatch: 3 }, { workerUrl: worker("sleeps") });
    await rejects(
      loader.next(),
      /Data worker 0 of 1 is stuck in sample 42 of batch 3: no answer in [\d.]+ s.*timeout=300/,
    );
    await rejects(loader.next(), /is stuck in sample 42/);
  }
  {
    await using loader = await make({ numWorkers: 2, timeout: 1 }, { workerUrl: worker("never_begins"), startMs: 400 });
    await rejects(loader.next(), /No data worker has begun batch 0 in [\d.]+ s/);
  }
  await using loader = await make({ numWorkers: 1, timeout: 400, batchSize: 12 }, { workerUrl: worker("slow") });
  assert.equal((await take(loader, 1))[0]!.index, 0);
});

Deno.test("shouldStop interrupts a wait", async () => {
  let stop = false;
  const options = { numWorkers: 1, shouldStop: () => stop };
  await using loader = await make(options, { workerUrl: worker("sleeps") });
  const pending = loader.next();
  await assert.rejects(loader.next(), /Another call of next\(\) is pending/);
  setTimeout(() => stop = true, 50);
  await assert.rejects(pending, InterruptedError);
  await using direct = await make({ numWorkers: 0, shouldStop: () => true });
  await assert.rejects(direct.next(), InterruptedError);
});

Deno.test("close ends working, parked, paused and hanging workers and a pending wait", async () => {
  const cases: [Partial<LoaderOptions>, LoaderInternals, (loader: Awaited<ReturnType<typeof make>>) => unknown][] = [
    [{}, {}, () => {}],
    [{}, {}, (loader) => until(() => loader.queueDepth() === loader.slots)],
    [{}, {}, (loader) => loader.pause()],
    [{}, { workerUrl: worker("sleeps") }, () => new Promise((resolve) => setTimeout(resolve, 50))],
  ];
  for (const [options, internals, before] of cases) {
    const loader = await make(options, internals);
    await before(loader);
    await loader.close();
    await loader.close();
    await assert.rejects(loader.next(), /The loader is closed/);
  }
  const loader = await make({ numWorkers: 1 }, {}, 300);
  await Promise.all([assert.rejects(loader.next(), /The loader is closed/), loader.close()]);
});

Deno.test("close terminates only threads that do not end", async () => {
  const { terminate } = Worker.prototype;
  let terminated = 0;
  Worker.prototype.terminate = function () {
    terminated++;
    return terminate.call(this);
  };
  try {
    const loader = await make({ numWorkers: 2 });
    assert(await until(() => loader.queueDepth() === loader.slots));
    await loader.close();
    assert.equal(terminated, 0);
    const stuck = await make({ numWorkers: 2 }, { workerUrl: worker("sleeps") });
    await stuck.close();
    assert.equal(terminated, 2);
  } finally {
    Worker.prototype.terminate = terminate;
  }
});
