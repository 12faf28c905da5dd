import assert from "node:assert/strict";
import { join } from "node:path";
import { add, createTrainer, flatten, layer, linear, sequential } from "../../../mod.ts";
import { augment } from "../../../ops/augment.ts";
import { allocateFields, type FieldSizes, paddedLength } from "../../../runtime/data/fields.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../../runtime/data/loader/options.ts";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import { allocateRing } from "../../../runtime/data/loader/ring_memory.ts";
import { WorkerRing } from "../../../runtime/data/loader/worker_ring.ts";
import { source, type SourceOptions } from "../../../runtime/data/sources/module.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { small } from "../../trainer/models.ts";
import { DEFAULTS, withFolder } from "../fixtures.ts";
import { refuses, rejects } from "../../support/refuses.ts";

const ODD: FieldSizes = {
  input: { dtype: "f32", length: 5 },
  target: { dtype: "i32", length: 3 },
  mask: { dtype: "u8", length: 12 },
  ids: { dtype: "u32", length: 7 },
};

Deno.test("the ring holds fields of any type and size apart from each other", () => {
  const memory = allocateRing({ slots: 3, workers: 1, fields: ODD, stagesBytes: 64, holdsBatches: true });
  const [ring, worker] = [new Ring(memory), new WorkerRing(memory, 0, 0)];
  const names = Object.keys(ODD);
  const mark = (k: number, name: string) => 10 * k + names.indexOf(name) + 1;
  for (let k = 0; k < 3; k++) for (const name of names) worker.tensors(k)[name]!.fill(mark(k, name));
  for (let k = 0; k < 3; k++) {
    for (const name of names) {
      const values = ring.tensors(k)[name]!;
      assert.equal(values.constructor, allocateFields(ODD)[name]!.constructor);
      assert.deepEqual([...values], new Array(ODD[name]!.length).fill(mark(k, name)), `${name} of batch ${k}`);
    }
  }
  assert.equal(ring.tensors(3), ring.tensors(0));
});

Deno.test("a sample's values fill whole words", () => {
  assert.deepEqual([1, 3, 4, 5].map((size) => paddedLength("u8", size)), [4, 4, 4, 8]);
  assert.equal(paddedLength("f32", 5), 5);
});

const MODULE = `export const length = 20;
export function get(i) {
  return {
    input: Float32Array.of(i, -i),
    target: i % 3,
    mask: Uint8Array.of(i, i + 1, i + 2, i + 3, i + 4),
    ids: i === 13 && BROKEN ? new Int32Array(2) : Int32Array.of(-i, 1000 * i, 7),
  };
}`;

function withModule<T>(broken: boolean, body: (options: SourceOptions) => Promise<T>): Promise<T> {
  const bytes = new TextEncoder().encode(`const BROKEN = ${broken};\n${MODULE}`);
  return withFolder({ "own.ts": bytes }, (dir) =>
    body({
      module: join(dir, "own.ts"),
      input: { shape: [2] },
      classes: 3,
      fields: { mask: { shape: [5], dtype: "u8" }, ids: { shape: [3], dtype: "i32" } },
    }));
}

Deno.test("a module's additional fields are in every batch, with any number of workers", async () => {
  await withModule(false, async (options) => {
    const ways: Partial<LoaderOptions>[] = [
      { numWorkers: 0 },
      { numWorkers: 2 },
      { numWorkers: 1, sharedMemory: false },
      { numWorkers: 1, onError: "skip" },
    ];
    for (const way of ways) {
      await using loader = await createLoader(source(options), { ...DEFAULTS, batchSize: 3, layout: "row", ...way });
      for (let n = 0; n < 8; n++) {
        const { tensors: { input, target, mask, ids }, release } = await loader.next();
        const samples = [0, 2, 4].map((at) => input![at]!);
        assert.deepEqual([...target!], samples.map((i) => i % 3));
        assert.deepEqual(mask, Uint8Array.from(samples.flatMap((i) => [i, i + 1, i + 2, i + 3, i + 4, 0, 0, 0])));
        assert.deepEqual(ids, Int32Array.from(samples.flatMap((i) => [-i, 1000 * i, 7])), JSON.stringify(way));
        release();
      }
    }
  });
});

Deno.test("a sample whose field has another type or size is rejected", async () => {
  await withModule(true, async (options) => {
    await using loader = await createLoader(source(options), { ...DEFAULTS, batchSize: 20, layout: "row" });
    await rejects(
      loader.next(),
      /get\(13\) returned Int32Array of 2 values as its ids; expected Int32Array of 3 values/,
    );
    const named = { ...options, fields: { target: { dtype: "u8" } } } as const;
    refuses(() => source(named), /fields is .*; expected names of letters and digits other than input and target/);
  });
});

Deno.test("a field travels from the data to the model", async () => {
  const text = `export const length = 8;
export function get(i) {
  return { input: Float32Array.of(i), target: i % 3, shift: Uint32Array.of(i, 0, 0, 1, 0, 1, 0, 1) };
}`;
  const table = Array.from({ length: 256 }, (_, byte) => byte / 2);
  const size = { height: 1, width: 1, sourceHeight: 1, sourceWidth: 1 };
  const shifted = layer((x) => {
    const words = x.graph.input("shift", rowMajor([4, 8], "u32"));
    return add(x, augment(words, { words: 8, channels: 1, order: "chw", ...size, table }));
  });
  await withFolder({ "own.ts": new TextEncoder().encode(text) }, async (dir) => {
    const data = source({
      ...{ module: join(dir, "own.ts"), input: { shape: [1, 1, 1] }, classes: 3 },
      fields: { shift: { shape: [8], dtype: "u32" } },
    });
    const model = sequential({ shifted, flatten: flatten(), fc: linear(3) });
    const loader = { batchSize: 4, shuffle: false };
    await using fed = await createTrainer(small({ data, model, loader }));
    await using given = await createTrainer(small({ data, model, loader }));
    for (const first of [0, 4, 0]) {
      const samples = [0, 1, 2, 3].map((i) => first + i);
      const { loss } = await given.step({
        input: Float32Array.from(samples),
        shift: Uint32Array.from(samples.flatMap((i) => [i, 0, 0, 1, 0, 1, 0, 1])),
        target: Int32Array.from(samples, (i) => i % 3),
      });
      assert.equal((await fed.step()).loss, loss);
    }
  });
});
