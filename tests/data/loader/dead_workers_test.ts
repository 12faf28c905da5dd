import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { DataSpec } from "../../../runtime/data/sources/sources.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { WorkerRing } from "../../../runtime/data/loader/worker_ring.ts";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import { allocateRing } from "../../../runtime/data/loader/ring_memory.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { fullTest, sampled } from "../../support/full.ts";
import { DEFAULTS, take, until, withFolder } from "../fixtures.ts";
import { recordOf } from "../workers/records.ts";
import { moduleSpec } from "./module_spec.ts";
import { rejects } from "../../support/refuses.ts";

function make(name: string, options: Partial<LoaderOptions>) {
  return createLoader(moduleSpec(name), { ...DEFAULTS, layout: "row", onError: "skip", ...options });
}

/** Runs `test` with a source that hangs at sample 11 until `free` is called, after which its threads have returned or ended. */
async function withBusy(test: (spec: DataSpec, free: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const text = Deno.readFileSync(new URL("./modules/busy.ts", import.meta.url));
  await withFolder({ "busy.ts": text }, async (dir) => {
    const free = async () => {
      Deno.writeTextFileSync(join(dir, "free"), "");
      // Deno ends threads that do not return to their event loop 2 s after their termination
      await until(() => [...Deno.readDirSync(dir)].some(({ name }) => name === "back"), 5000);
    };
    try {
      await test(moduleSpec("busy", { module: pathToFileURL(join(dir, "busy.ts")).href }), free);
    } finally {
      Deno.writeTextFileSync(join(dir, "free"), "");
    }
  });
}

const WAYS: readonly Partial<LoaderOptions>[] = sampled([
  { numWorkers: 1 },
  { numWorkers: 2, prefetch: 3 },
  { numWorkers: 4, sharedMemory: false },
], 2);

/** Returns the batches of three epochs of a source that fails at sample 11, and the number of replaced samples. */
async function expectedBatches() {
  await using loader = await make("fails_at_11", { numWorkers: 0 });
  return [await take(loader, 24), loader.profile().skipped] as const;
}

Deno.test("a worker that dies is replaced, and batches equal those of a source that fails there", async () => {
  const [batches, skipped] = await expectedBatches();
  assert.ok(skipped >= 3);
  for (const options of WAYS) {
    await using loader = await make("ends_process", options);
    assert.deepEqual(await take(loader, 24), batches, JSON.stringify(options));
    const profile = loader.profile();
    assert.equal(profile.skipped, skipped);
    assert.match(
      profile.skipReasons[0]!,
      /Sample 11 \(batch \d+\): .*ends_process\.ts: data worker \d of \d ended unexpectedly with exit status 9/,
    );
  }
});

fullTest("a sample that fails outside of its call is replaced too", async () => {
  const [batches] = await expectedBatches();
  await using loader = await make("throws_aside", { numWorkers: 2 });
  assert.deepEqual(await take(loader, 24), batches);
  assert.match(
    loader.profile().skipReasons[0]!,
    /Sample 11 .*: data worker \d of 2: a timer's callback failed: Error: torn cable \(.*throws_aside\.ts:\d/,
  );
});

Deno.test("a worker that hangs is replaced and corrupts nothing when it returns", async () => {
  const [batches, skipped] = await expectedBatches();
  for (const options of [{ numWorkers: 1 }, { numWorkers: 2, sharedMemory: false }]) {
    await withBusy(async (spec, free) => {
      const rest = { layout: "row", onError: "skip", timeout: 100 } as const;
      await using loader = await createLoader(spec, { ...DEFAULTS, ...rest, ...options });
      const taken = await take(loader, 10);
      const held = await loader.next(); // a batch that is held while the lost thread comes back
      const before = Object.values(held.tensors).map((values) => values.slice());
      await free();
      assert.deepEqual(Object.values(held.tensors), before);
      held.release();
      assert.deepEqual([...taken, ...await take(loader, 13)], batches.toSpliced(10, 1));
      assert.equal(loader.profile().skipped, skipped);
      assert.match(
        loader.profile().skipReasons[0]!,
        /Sample 11 .*data worker \d of \d is abandoned: no answer in [\d.]+ s \(loader\.timeout=100\); its thread keeps running/,
      );
    });
  }
});

Deno.test("a pipe among image files is skipped, and a file whose read takes too long is reported, by name", async () => {
  await withFolder({}, async (dir) => {
    Deno.mkdirSync(join(dir, "a"));
    const photo = join(import.meta.dirname!, "../../fixtures/images/progressive.jpg");
    for (const name of ["1.jpg", "2.jpg", "4.jpg"]) Deno.copyFileSync(photo, join(dir, "a", name));
    const { success } = await new Deno.Command("mkfifo", { args: [join(dir, "a/3.jpg")] }).output();
    assert.ok(success);
    const spec = imageFolder({ dir, size: [34, 45], transforms: [t.resize([4, 4])] });
    const options = { ...DEFAULTS, batchSize: 4, shuffle: false, numWorkers: 1, timeout: 1000 };
    {
      await using loader = await createLoader(spec, { ...options, onError: "skip" });
      const [batch] = await take(loader, 1);
      assert.deepEqual([...batch!.target], [0, 0, 0, 0]);
      assert.match(
        loader.profile().skipReasons[0]!,
        /Sample 2 \(batch 0\): .*a\/3\.jpg is not a file$/,
      );
    }
    const slow = { ...spec, delay: { ...spec.delay, read: 4000 } };
    await using loader = await createLoader(slow, { ...options, timeout: 100 });
    await rejects(loader.next(), /worker 0 of 1 is stuck in sample 0 of batch 0 \(.*a\/1\.jpg\): no answer/);
  });
});

fullTest("workers are replaced a limited number of times, all together", async () => {
  await using loader = await make("ends_often", { numWorkers: 3 });
  const rest = async () => {
    for (let i = 0; i < 200; i++) await take(loader, 1);
  };
  await rejects(
    rest(),
    /33 threads of data workers were lost; loader\.onError: "skip" replaces at most 32\. The last one: Sample/,
  );
  await rejects(rest(), /33 threads/);
});

Deno.test("a loader can be closed while a worker is being replaced", () =>
  withBusy(async (spec) => {
    const options = { numWorkers: 1, timeout: 50, shuffle: false, onError: "skip" } as const;
    const loader = await createLoader(spec, { ...DEFAULTS, layout: "row", ...options });
    const pending = (async () => {
      for (;;) await take(loader, 1);
    })();
    const rejected = assert.rejects(pending, /The loader is closed/);
    await new Promise((resolve) => setTimeout(resolve, 1300));
    await loader.close();
    await rejected;
  }));

Deno.test("writes of a replaced thread have no effect on the ring", () => {
  const sizes = {
    slots: 2,
    workers: 1,
    fields: { input: { dtype: "f32", length: 1 }, target: { dtype: "i32", length: 1 } },
    stagesBytes: 64,
    holdsBatches: true,
  } as const;
  const memory = allocateRing(sizes);
  const ring = new Ring(memory);
  const old = new WorkerRing(memory, 0, 0);
  assert.equal(old.claim()!.k, 0);
  old.beat(7);
  assert.deepEqual([ring.sample(0), ring.owed(0)], [7, 0]);
  ring.retire(0);
  ring.lose(7);
  const fresh = new WorkerRing(memory, 0, ring.renew(0));
  assert.deepEqual([ring.sample(0), ring.beats(0), old.retired, fresh.retired], [null, 0, true, false]);
  old.publish(0, recordOf(0));
  old.publishFailure(0, "late");
  assert.equal(old.claim(), null);
  assert.deepEqual([ring.ready(0), fresh.lost(7), fresh.lost(8)], [false, true, false]);
  assert.equal(fresh.claim(ring.owed(0))!.k, 0);
  fresh.publish(0, recordOf(0));
  assert.deepEqual([ring.ready(0), ring.failure(0), ring.owed(0)], [true, null, null]);
});

fullTest("numWorkers auto does not try the main thread if user code may end it", async () => {
  const [batches] = await expectedBatches();
  await using loader = await make("ends_process", { numWorkers: "auto" });
  assert.ok(loader.choice!.measured.every(({ numWorkers }) => numWorkers > 0));
  assert.deepEqual(await take(loader, 24), batches);
});
