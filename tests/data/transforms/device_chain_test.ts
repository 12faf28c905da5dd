import assert from "node:assert/strict";
import { join } from "node:path";
import { encode } from "fast-png";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { cifar10 } from "../../../runtime/data/sources/cifar10.ts";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import { tensors } from "../../../runtime/data/sources/tensors.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import type { DataSpec } from "../../../runtime/data/sources/sources.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { augment } from "../../../ops/augment.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { toLogical } from "../../../runtime/core/layout.ts";
import { crossEntropy, lenet, scenario, sgd } from "../../../mod.ts";
import { createTrainer } from "../../../runtime/trainer/create_trainer.ts";
import { evaluate } from "../../support/evaluate.ts";
import { full } from "../../support/full.ts";
import { DEFAULTS, recordFile, smallSet, take, withFolder } from "../fixtures.ts";
import { refuses } from "../../support/refuses.ts";

/** Checks that the device and the host make the same batches of a data set. */
async function bothWays(spec: DataSpec, count = 6): Promise<void> {
  await using host = await createLoader({ ...spec, placement: "host" }, DEFAULTS);
  const expected = await take(host, count);
  const { device: part, input } = describeDataset({ ...spec, placement: "device" });
  const { shape } = input!;
  for (const numWorkers of full ? [0, 2] : [2]) {
    await using device = await createLoader({ ...spec, placement: "device" }, { ...DEFAULTS, numWorkers });
    for (let i = 0; i < count; i++) {
      const { tensors: { input: values, target }, release } = await device.next();
      assert.deepEqual(target, expected[i]!.target);
      assert.ok(values instanceof Uint32Array && values.length === DEFAULTS.batchSize * part!.words);
      for (const images of ["nhwc", "nchw"] as const) {
        const graph = new Graph("train", images);
        const words = graph.leaf("input", "x", rowMajor([DEFAULTS.batchSize, part!.words], "u32"));
        const logical = toLogical(expected[i]!.input, [DEFAULTS.batchSize, ...shape], "nhwc");
        for (const traits of [{}, { class: "gpu" }] as const) {
          const [found] = await evaluate([augment(words, part!)], new Map([["x", values]]), { traits });
          assert.deepEqual(Float32Array.from(found!), logical);
        }
      }
      release();
    }
  }
}

Deno.test("images finished on the device equal those of the host bit for bit", async () => {
  await withFolder(smallSet(), async (dir) => {
    const crop = t.randomCrop(32, { padding: 4 });
    await bothWays(cifar10({ dir, transforms: [crop, t.randomHorizontalFlip(), t.normalize("cifar10")] }));
    await bothWays(cifar10({ dir }), 1);
    const small = t.randomCrop(12, { padding: 2 });
    await bothWays(
      cifar10({ dir, transforms: [t.centerCrop(9), small, t.randomHorizontalFlip({ p: 1 }), t.chwToHwc()] }),
      2,
    );
    await bothWays(
      cifar10({ dir, transforms: [t.normalize("cifar10"), t.randomHorizontalFlip(), t.rescale(3, 1)] }),
      2,
    );
    // The host punches holes and resizes; the device runs the rest
    await bothWays(
      cifar10({
        dir,
        transforms: [t.randomCrop(30), t.cutout(5), t.resize([21, 19]), t.centerCrop(17), t.rescale(1 / 3)],
      }),
      2,
    );
  });
  await withFolder({}, async (dir) => {
    for (const name of ["a", "b"]) {
      Deno.mkdirSync(join(dir, name));
      for (let i = 0; i < 5; i++) {
        const data = Uint8Array.from({ length: 4 * 11 * (9 + i) }, (_, j) => j * 31 + i);
        Deno.writeFileSync(join(dir, name, `${i}.png`), encode({ width: 11, height: 9 + i, channels: 4, data }));
      }
    }
    const specs = [t.randomResizedCrop(7), t.randomHorizontalFlip(), t.normalize("imagenet")];
    await bothWays(imageFolder({ dir, transforms: specs }), 3);
  });
});

Deno.test("bytes take a quarter of the words, and samples that are not u8 images are rejected", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 3) }, (dir) => {
    const { device } = describeDataset(cifar10({ dir, placement: "device" }));
    assert.equal(device!.words, 3072 / 4 + 7);
  });
  const data = { input: { shape: [3, 4, 4], data: new Float32Array(96) }, target: { data: Int32Array.of(0, 1) } };
  refuses(
    () => describeDataset(tensors({ ...data, placement: "device" })),
    /data\.placement is device, but there are no u8 images of one size; use u8 images and put the transforms that the/,
  );
  const bytes = { ...data, input: { shape: [3, 4, 4], data: new Uint8Array(96) } };
  refuses(
    () => describeDataset(tensors({ ...bytes, placement: "device", transforms: [t.toF32(), t.cutout(2)] })),
    /no u8 images of one size after cutout, which runs on the host/,
  );
});

Deno.test("training on the device's images gives the same losses, with f16 arithmetic and, in the full set, with f32", async () => {
  await withFolder(smallSet(), async (dir) => {
    const made = scenario({
      name: "placement",
      model: lenet({ classes: 10 }),
      loss: crossEntropy(),
      optimizer: sgd({ learningRate: 0.05 }),
      data: cifar10({
        dir,
        transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")],
      }),
      loader: { batchSize: 6, numWorkers: 1 },
      variants: { host: {}, device: { data: { placement: "device" } } },
    });
    for (const amp of full ? ["O0", "O2"] : ["O2"]) {
      const [host, device] = await Promise.all(["host", "device"].map(async (variant) => {
        await using trainer = await createTrainer(made, { variant, overrides: [`amp=${amp}`] });
        const losses: number[] = [];
        for (let i = 0; i < 5; i++) losses.push((await trainer.step()).loss);
        const { loss, samples } = await trainer.evaluate();
        const logits = await trainer.forward(new Float32Array(2 * 3072).fill(0.25));
        return { losses, loss, samples, logits: [...logits] };
      }));
      assert.deepEqual(device, host);
      assert.equal(device!.samples, 7);
    }
    await using trainer = await createTrainer(made, { variant: "device" });
    await assert.rejects(
      trainer.step({ input: new Float32Array(6 * 3072), target: new Int32Array(6) }),
      /step: data\.placement is device, so batches are the data set's own/,
    );
  });
});
