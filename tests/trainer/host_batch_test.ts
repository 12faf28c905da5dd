import assert from "node:assert/strict";
import { add, createTrainer, flatten, InputError, layer, linear, sequential } from "../../mod.ts";
import { augment } from "../../ops/augment.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { batchAt, forwardFields, stepBatches } from "../../runtime/trainer/host_batch.ts";
import { classified, small } from "./models.ts";

const FIELDS = { image: activation([2, 3, 1, 2], "f32"), ids: rowMajor([2, 3], "i32"), words: rowMajor([2], "u32") };
const BATCH = {
  image: Float32Array.from({ length: 12 }, (_, i) => i),
  ids: { shape: [2, 3], data: Int32Array.of(1, -2, 3, 4, 5, 6) },
  words: Uint32Array.of(7, 2 ** 31),
};

function refuses(body: () => unknown, message: RegExp): void {
  assert.throws(body, (error) => error instanceof InputError && message.test(error.message));
}

Deno.test("a step's batch is converted to the plan's memory layout for all element types", () => {
  assert.deepEqual(stepBatches({ ...BATCH, unread: BATCH.words }, FIELDS, 1)[0], {
    image: Float32Array.of(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11),
    ids: BATCH.ids.data,
    words: BATCH.words,
  });
});

Deno.test("a step's batch is rejected if a field is missing or has the wrong type or size", () => {
  const { ids: _, ...two } = BATCH;
  refuses(() => stepBatches(two, FIELDS, 1)[0], /^step: ids is missing, expected an Int32Array of 6 for \[2, 3\]$/);
  refuses(
    () => stepBatches({ ...BATCH, words: Int32Array.of(1, 2) }, FIELDS, 1)[0],
    /words is an Int32Array of 2 values/,
  );
  refuses(
    () => stepBatches({ ...BATCH, image: new Float32Array(11) }, FIELDS, 1)[0],
    /image is a Float32Array of 11 values/,
  );
});

Deno.test("any number of samples is split into batches, the last one padded with zeros", () => {
  const { samples, tensors } = forwardFields({ ...BATCH, words: BATCH.words }, FIELDS);
  assert.equal(samples, 2);
  assert.deepEqual(batchAt(tensors, FIELDS, 1)["image"], Float32Array.of(6, 8, 10, 7, 9, 11, 0, 0, 0, 0, 0, 0));
  assert.deepEqual(batchAt(tensors, FIELDS, 1)["ids"], Int32Array.of(4, 5, 6, 0, 0, 0));
  const alone = forwardFields(Int32Array.of(1, 2, 3), { ids: FIELDS.ids });
  assert.deepEqual(alone, { samples: 1, tensors: { ids: Int32Array.of(1, 2, 3) } });
  refuses(() => forwardFields({ ...BATCH, words: Uint32Array.of(1) }, FIELDS), /words has 1 samples, but image has 2/);
  refuses(
    () => forwardFields({ ...BATCH, ids: new Int32Array(5) }, FIELDS),
    /a multiple of 3 \(samples of shape \[3\]\)/,
  );
});

Deno.test("a trainer accepts a record of the fields that its model reads", async () => {
  // Adds 1 to the input where the byte of the field `shift` is 255
  const table = Array.from({ length: 256 }, (_, byte) => byte === 255 ? 1 : 0);
  const size = { height: 1, width: 1, sourceHeight: 1, sourceWidth: 1 };
  const shifted = layer((x) => {
    const words = x.graph.input("shift", rowMajor([4, 8], "u32"));
    return add(x, augment(words, { words: 8, channels: 1, order: "chw", ...size, table }));
  });
  const data = classified([1, 1, 1], 3);
  const model = sequential({ shifted, flatten: flatten(), fc: linear(3) });
  await using trainer = await createTrainer(small({ data, model }));
  const shift = (by: number) => Uint32Array.from({ length: 32 }, (_, i) => [by, 0, 0, 1, 0, 1, 0, 1][i % 8]!);
  const outputs = [];
  for (const [value, by] of [[1, 255], [2, 0]] as const) {
    outputs.push([...await trainer.forward({ input: new Float32Array(4).fill(value), shift: shift(by) })]);
  }
  assert.deepEqual(outputs[0], outputs[1]);
  const target = Int32Array.of(0, 1, 2, 0);
  const { loss } = await trainer.step({ input: new Float32Array(4), shift: shift(255), target });
  assert.ok(loss > 0);
  await assert.rejects(trainer.step({ input: new Float32Array(4), target }), /step: shift is missing/);
  await assert.rejects(trainer.step(), /reads the field "shift", which the data does not have/);
});
