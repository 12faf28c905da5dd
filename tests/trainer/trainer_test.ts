import assert from "node:assert/strict";
import { conv2d, createTrainer, flatten, type HostTensor, InputError, linear, sequential } from "../../mod.ts";
import { normals } from "../support/reference/random.ts";
import { classified, regression, small, trainerOf } from "./models.ts";

const INPUT = new Float32Array(20).fill(0.1);
const TARGET = Int32Array.of(0, 1, 2, 0);

function fails(work: Promise<unknown>, message: RegExp): Promise<void> {
  return assert.rejects(work, (error) => {
    assert.ok(error instanceof InputError, `${error}`);
    assert.equal(error.exitStatus, 2);
    assert.match(error.message, message);
    return true;
  });
}

const convolutions = () =>
  small({
    model: sequential({
      conv: conv2d(6, { kernel: [3, 5], padding: 1, groups: 3 }),
      depth: conv2d(6, { kernel: 3, groups: "depthwise", bias: false }),
      flatten: flatten(),
      fc: linear(3),
    }),
    data: classified([9, 7, 9], 3),
  });

Deno.test("loaded parameters are read back unchanged, in PyTorch's shapes", async () => {
  for (const level of ["O0", "O2", "O3"] as const) {
    await using trainer = await trainerOf({ ...convolutions(), amp: level });
    const shapes = [...await trainer.parameters()].map(([name, { shape }]) => [name, shape]);
    assert.deepEqual(shapes, [
      ["conv.weight", [6, 3, 3, 5]],
      ["conv.bias", [6]],
      ["depth.weight", [6, 1, 3, 3]],
      ["fc.weight", [3, 150]],
      ["fc.bias", [3]],
    ]);
    const values = new Map<string, HostTensor>();
    for (const [i, [name, shape]] of (shapes as [string, number[]][]).entries()) {
      // Multiples of 1 / 64 are exact in f16
      const data = normals(shape.reduce((a, b) => a * b), i).map((value) => Math.round(value * 64) / 64);
      values.set(name, { shape, data });
    }
    await trainer.loadParameters(values);
    for (const [name, { data }] of await trainer.parameters()) assert.deepEqual(data, values.get(name)!.data, name);
    const bias = { shape: [6], data: Float32Array.of(1, 2, 3, 4, 5, 6) };
    await trainer.loadParameters(new Map([["conv.bias", bias]]));
    const after = await trainer.parameters();
    assert.deepEqual(after.get("conv.bias")!.data, bias.data);
    assert.deepEqual(after.get("fc.weight")!.data, values.get("fc.weight")!.data, "other parameters do not change");
  }
});

Deno.test("weights have the same meaning as in PyTorch", async () => {
  await using trainer = await trainerOf(regression());
  // Output o is 10 o + input o
  const data = Float32Array.from({ length: 15 }, (_, i) => (Math.floor(i / 5) === i % 5 ? 1 : 0));
  await trainer.loadParameters(
    new Map([
      ["fc.weight", { shape: [3, 5], data }],
      ["fc.bias", { shape: [3], data: Float32Array.of(0, 10, 20) }],
    ]),
  );
  const output = await trainer.forward(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  assert.deepEqual([output.shape, [...output]], [[2, 3], [1, 12, 23, 6, 17, 28]]);
  assert.equal(output.data, output);
});

Deno.test("invalid parameters are rejected and change nothing", async () => {
  await using trainer = await trainerOf(small());
  const before = (await trainer.parameters()).get("fc1.bias")!.data;
  const good: [string, HostTensor] = ["fc1.bias", { shape: [7], data: new Float32Array(7) }];
  const load = (name: string, shape: number[], length: number) =>
    trainer.loadParameters(new Map([good, [name, { shape, data: new Float32Array(length) }]]));
  await fails(load("fc1.wieght", [7, 5], 35), /no parameter "fc1.wieght"; did you mean "fc1.weight"\?/);
  await fails(load("fc1.weight", [5, 7], 35), /"fc1.weight" has shape \[5, 7\] .*expected \[7, 5\]/);
  await fails(load("fc1.weight", [7, 5], 34), /34 values, expected \[7, 5\] with 35/);
  assert.deepEqual((await trainer.parameters()).get("fc1.bias")!.data, before);
});

Deno.test("invalid batches are rejected, and the trainer can continue", async () => {
  await using trainer = await trainerOf(small());
  const step = (input: Float32Array, target: Int32Array | Float32Array) => trainer.step({ input, target });
  await fails(
    step(INPUT.slice(1), TARGET),
    /input is a Float32Array of 19 values, expected a Float32Array of 20 for \[4, 5\]/,
  );
  await fails(step(INPUT, TARGET.slice(1)), /target is an Int32Array of 3 values, expected an Int32Array of 4/);
  await fails(step(INPUT, new Float32Array(4)), /target is a Float32Array of 4 values, expected an Int32Array of 4/);
  await fails(step(INPUT, Int32Array.of(0, 1, 3, 0)), /target\[2\] is 3, expected a class from 0 to 2/);
  await fails(step(INPUT, Int32Array.of(-1, 1, 2, 0)), /target\[0\] is -1/);
  await fails(
    trainer.forward(new Float32Array(7)),
    /input is a Float32Array of 7 values, expected a Float32Array of a multiple of 5/,
  );
  await fails(trainer.forward(new Float32Array(0)), /of 0 values/);
  assert.equal((await step(INPUT, TARGET)).step, 0);
  assert.equal((await step(INPUT, TARGET)).step, 1);
});

Deno.test("gradients are available after a step if they are kept", async () => {
  await using kept = await trainerOf(small());
  await fails(kept.gradients(), /none before the first step/);
  await kept.step();
  assert.deepEqual([...(await kept.gradients()).keys()], [...(await kept.parameters()).keys()]);
  await using plain = await trainerOf(small(), {});
  await plain.step();
  await fails(plain.gradients(), /keepGradients: true/);
});

Deno.test("a closed trainer rejects calls", async () => {
  const trainer = await trainerOf(small());
  await trainer[Symbol.asyncDispose]();
  await trainer[Symbol.asyncDispose]();
  const uses: (() => Promise<unknown>)[] = [
    () => trainer.step(),
    () => trainer.parameters(),
    () => trainer.forward(INPUT),
  ];
  for (const use of uses) {
    await fails(use(), /closed/);
  }
});

Deno.test("createTrainer rejects unknown variants, exceeded budgets and missing models, and applies overrides", async () => {
  await fails(createTrainer(small(), { variant: "fast" }), /variants: unknown variant "fast"; known: baseline/);
  await fails(createTrainer(small({ memoryBudget: "1KiB" })), /more than the budget of 1.0 KiB/);
  await fails(createTrainer(small({ model: null, loss: null, optimizer: null })), /no model/);
  await using trainer = await createTrainer(small(), { overrides: ["loader.batchSize=8"] });
  assert.equal((await trainer.step({ input: new Float32Array(40), target: new Int32Array(8) })).step, 0);
});
