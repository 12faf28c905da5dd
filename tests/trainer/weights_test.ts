/** Weights of a trainer in safetensors files. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { batchNorm, createTrainer, gpt, InputError, linear, sequential, tanh, tensors, text } from "../../mod.ts";
import { writeSafetensors, type WrittenTensor } from "../../runtime/data/safetensors/write.ts";
import { small } from "./models.ts";

const folder = Deno.makeTempDirSync({ prefix: "tacho-weights-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const INPUT = Float32Array.from({ length: 2 * 5 }, (_, i) => Math.sin(i));

/** A square matrix between two layers, so that its transpose has the same shape. */
const square = small({ model: sequential({ up: linear(5, { bias: false }), tanh: tanh(), out: linear(3) }) });

/** Computes the logits of {@linkcode square} in double precision. */
function logits(weights: ReadonlyMap<string, { readonly data: Float32Array }>): number[] {
  const product = (x: readonly number[], weight: Float32Array, outputs: number) =>
    Array.from({ length: outputs }, (_, o) => x.reduce((sum, v, i) => sum + v * weight[o * x.length + i]!, 0));
  return [0, 1].flatMap((n) => {
    const up = product([...INPUT.subarray(n * 5, n * 5 + 5)], weights.get("up.weight")!.data, 5).map(Math.tanh);
    return product(up, weights.get("out.weight")!.data, 3).map((v, o) => v + weights.get("out.bias")!.data[o]!);
  });
}

Deno.test("saved weights are loaded into another trainer, with running values, and give the same outputs", async () => {
  const settings = small({ model: sequential({ fc1: linear(7), bn: batchNorm(), fc2: linear(3) }) });
  const file = join(folder, "saved.safetensors");
  await using first = await createTrainer(settings);
  await first.step();
  await first.save(file);
  await using second = await createTrainer(settings, { overrides: ["seed=9"] });
  const [want, other] = [await first.forward(INPUT), await second.forward(INPUT)];
  assert.notDeepEqual(other.data, want.data);
  assert.deepEqual(await second.load(file), { loaded: 8, missing: [], unexpected: [], notFinite: [] });
  assert.deepEqual((await second.forward(INPUT)).data, want.data);
  assert.deepEqual(await second.runningState(), await first.runningState());
});

Deno.test("outputs are compared with a reference's, which finds a transposed matrix and keeps the weights", async () => {
  await using trainer = await createTrainer(square);
  const weights = await trainer.parameters();
  const weight = Float32Array.from({ length: 25 }, (_, i) => Math.cos(i * i));
  const transposed = weight.map((_, i) => weight[(i % 5) * 5 + Math.floor(i / 5)]!);
  const [right, wrong] = [join(folder, "right.safetensors"), join(folder, "wrong.safetensors")];
  const of = (data: Float32Array) => new Map([...weights, ["up.weight", { shape: [5, 5], data }]]);
  await writeSafetensors(right, of(weight));
  await writeSafetensors(wrong, of(transposed));
  const check = { input: INPUT, output: logits(of(weight)) };
  await assert.rejects(
    () => trainer.load(wrong, { check }),
    /^InputError: load: with the weights .*wrong\.safetensors, output \d is .*, expected .* A matrix may be transposed/,
  );
  assert.deepEqual(await trainer.parameters(), weights);
  await trainer.load(wrong);
  await trainer.load(right, { check });
  assert.deepEqual((await trainer.parameters()).get("up.weight")!.data, weight);
  await assert.rejects(
    () => trainer.load(right, { check: { input: INPUT, output: [1] } }),
    /check\.output has 1 values, but/,
  );
});

Deno.test("files of Hugging Face may lack the model's prefix, and contain masks and copies of a shared matrix", async () => {
  const layer = gpt({ layers: 1, heads: 1, width: 4, context: 3, vocabulary: 5 });
  const tokens = { shape: [3], data: Int32Array.of(1, 4, 0, 2, 3, 1) };
  const settings = small({ model: layer, data: tensors({ input: tokens, target: tokens, classes: 5 }) });
  const file = join(folder, "gpt2.safetensors");
  await using first = await createTrainer({ ...settings, loader: { batchSize: 2 } });
  const weights = await first.parameters();
  const bare = [...weights].map(([name, tensor]) => [name.replace("transformer.", ""), tensor] as const);
  const mask = { shape: [1, 1, 3, 3], data: new Float32Array(9) };
  await writeSafetensors(file, new Map<string, WrittenTensor>([...bare, ["h.0.attn.bias", mask]]));
  await using second = await createTrainer({ ...settings, loader: { batchSize: 2 } }, { overrides: ["seed=9"] });
  assert.deepEqual(await second.load(file), { loaded: weights.size, missing: [], unexpected: [], notFinite: [] });
  assert.deepEqual(await second.parameters(), weights);
  const table = weights.get("transformer.wte.weight")!;
  await writeSafetensors(file, new Map<string, WrittenTensor>([...bare, ["lm_head.weight", table]]));
  assert.deepEqual(await second.load(file), { loaded: weights.size, missing: [], unexpected: [], notFinite: [] });
  const moved = { shape: table.shape, data: table.data.with(7, 3) };
  await writeSafetensors(file, new Map<string, WrittenTensor>([...bare, ["lm_head.weight", moved]]));
  await assert.rejects(() => second.load(file), /:\n {2}not in the model: lm_head\.weight \[5, 4\]\n/);
  await writeSafetensors(file, new Map<string, WrittenTensor>([...bare.slice(1), ["h.0.attn.biases", mask]]));
  await assert.rejects(
    () => second.load(file),
    /missing in the file: transformer\.wte\.weight \[5, 4\]\n {2}not in the model: h\.0\.attn\.biases \[1, 1, 3, 3\]/,
  );
});

Deno.test("everything that does not fit is listed in one message, and nothing is loaded", async () => {
  await using trainer = await createTrainer(square);
  const before = await trainer.parameters();
  const file = join(folder, "other.safetensors");
  const zeros = (...shape: number[]) => ({ shape, data: new Float32Array(shape.reduce((a, b) => a * b, 1)) });
  const integers = { shape: [3], data: new Int32Array(3) };
  await writeSafetensors(
    file,
    new Map<string, WrittenTensor>([
      ["up.weight", zeros(5, 4)],
      ["out.weight", zeros(3, 5)],
      ["head.weight", zeros(2, 2)],
      ["bn.num_batches_tracked", integers],
    ]),
  );
  await assert.rejects(() => trainer.load(file), (error) => {
    assert.ok(error instanceof InputError);
    assert.equal(
      error.message,
      `The weights ${file} do not fit the model:\n` +
        "  missing in the file: out.bias [3]\n" +
        "  not in the model: head.weight [2, 2]\n" +
        "  of another shape: up.weight [5, 4], the model's is [5, 5]\n" +
        "load(file, { strict: false }) of a trainer loads the rest",
    );
    return true;
  });
  await assert.rejects(() => trainer.load(file, { strict: false }), /:\n {2}of another shape: up\.weight [^\n]*$/);
  assert.deepEqual(await trainer.parameters(), before);
  await writeSafetensors(file, new Map([["out.weight", zeros(3, 5)], ["head.weight", zeros(2, 2)]]));
  assert.deepEqual(await trainer.load(file, { strict: false }), {
    loaded: 1,
    missing: ["up.weight", "out.bias"],
    unexpected: ["head.weight"],
    notFinite: [],
  });
  assert.ok((await trainer.parameters()).get("out.weight")!.data.every((v) => v === 0));
  await writeSafetensors(file, new Map([["out.bias", integers]]));
  await assert.rejects(
    () => trainer.load(file, { strict: false }),
    /of another type than F32, F16, BF16: out\.bias: I32/,
  );
});

Deno.test("values that are not finite are counted and refused; without strict they are loaded and named", async () => {
  await using trainer = await createTrainer(square);
  const before = await trainer.parameters();
  const file = join(folder, "diverged.safetensors");
  const up = before.get("up.weight")!.data.with(3, NaN).with(7, -NaN).with(9, -Infinity);
  const bias = before.get("out.bias")!.data.with(0, Infinity).with(2, -Infinity);
  const diverged = new Map([...before, ["up.weight", { shape: [5, 5], data: up }], ["out.bias", {
    shape: [3],
    data: bias,
  }]]);
  await writeSafetensors(file, diverged);
  await assert.rejects(() => trainer.load(file), (error) => {
    assert.ok(error instanceof InputError);
    assert.equal(
      error.message,
      `The weights ${file} have values that are not finite:\n` +
        "  up.weight: 2 NaN, 1 infinity among 25 values\n" +
        "  out.bias: 2 infinities among 3 values\n" +
        "Expected finite values; load(file, { strict: false }) of a trainer loads them as they are",
    );
    return true;
  });
  assert.deepEqual(await trainer.parameters(), before);
  await assert.rejects(
    () => createTrainer({ ...square, weights: file }),
    /diverged\.safetensors have values that are not/,
  );
  assert.deepEqual(await trainer.load(file, { strict: false }), {
    loaded: 3,
    missing: [],
    unexpected: [],
    notFinite: ["up.weight", "out.bias"],
  });
  assert.deepEqual(await trainer.parameters(), diverged);
});

Deno.test("a value beyond the range of f16 is refused where the model keeps its weights in f16", async () => {
  const file = join(folder, "large.safetensors");
  await using wide = await createTrainer(square);
  const before = await wide.parameters();
  const of = (value: number) =>
    new Map([...before, ["out.bias", { shape: [3], data: Float32Array.of(value, 0, -value) }]]);
  await using narrow = await createTrainer({ ...square, amp: "O3" });
  await writeSafetensors(file, of(65520));
  assert.equal((await wide.load(file)).loaded, 3);
  await assert.rejects(() => narrow.load(file), /\n {2}out\.bias: 2 beyond the range of f16 among 3 values\nE/);
  await writeSafetensors(file, of(65519));
  await narrow.load(file);
  assert.deepEqual((await narrow.parameters()).get("out.bias")!.data, Float32Array.of(65504, 0, -65504));
});

Deno.test("options that load does not know, records in place of maps, and lists in place of arrays are refused", async () => {
  await using trainer = await createTrainer(square);
  await assert.rejects(
    () => trainer.load("none.safetensors", { chek: {} } as object),
    /^InputError: load has no option "chek"; did you mean "check"\?$/,
  );
  await assert.rejects(
    () => trainer.loadParameters({ up: 1 } as never),
    /^InputError: loadParameters: expected a Map from names to { shape, data }, got {"up":1}$/,
  );
  await assert.rejects(
    () => trainer.step({ input: [1, 2], target: [1] } as never),
    /^InputError: step: input is a list, e/,
  );
  assert.throws(
    () => text("corpus.txt" as never),
    /^InputError: text\(\) got "corpus\.txt"; expected a record of options/,
  );
});
