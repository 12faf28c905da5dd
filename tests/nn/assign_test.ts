/** `assign()`: buffers of a script's own layers that a step sets. */
import assert from "node:assert/strict";
import {
  add,
  assign,
  buffer,
  createTrainer,
  type Layer,
  layer,
  linear,
  mean,
  mul,
  sequential,
  sub,
  type Tensor,
} from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { normals } from "../support/reference/random.ts";
import { regression } from "../trainer/models.ts";
import { refuses } from "../support/refuses.ts";

const FEATURES = 5;
const BATCH = 4;

/** Subtracts a running mean of its input. */
function centered(): Layer {
  const running = buffer("mean", (x) => [x.shape.at(-1)!], { init: [1, 2, 3, 4, 5] });
  return layer((x) => {
    const old = running(x);
    assign(old, add(mul(old, 0.75), mul(mean(x, { axes: [0] }), 0.25)));
    return sub(x, old);
  });
}

/** Returns batch `i`, in multiples of 1 / 64, which are exact in f16. */
function batch(i: number): { input: Float32Array; target: Float32Array } {
  const input = normals(BATCH * FEATURES, i).map((value) => Math.round(value * 64) / 64);
  return { input, target: new Float32Array(BATCH * 3) };
}

function averaged(old: readonly number[], { input }: { input: Float32Array }): number[] {
  return old.map((value, c) => {
    let sum = 0;
    for (let row = 0; row < BATCH; row++) sum += input[row * FEATURES + c]!;
    return 0.75 * value + 0.25 * sum / BATCH;
  });
}

for (const amp of ["O0", "O3"] as const) {
  Deno.test(`${amp}: a running mean follows the batches of training, and stands still in inference`, async () => {
    const model = sequential({ norm: centered(), fc: linear(3, { bias: false }) });
    await using trainer = await createTrainer(regression({ model, amp, loader: { batchSize: BATCH } }));
    const read = async () => [...(await trainer.runningState()).get("norm.mean")!.data];
    let expected = [1, 2, 3, 4, 5];
    assert.deepEqual(await read(), expected);
    for (let i = 0; i < 3; i++) {
      await trainer.step(batch(i));
      expected = averaged(expected, batch(i));
      const tolerance = amp === "O0" ? 1e-6 : 0.01;
      (await read()).forEach((value, c) => assert.ok(Math.abs(value - expected[c]!) <= tolerance, `${i}: ${value}`));
    }
    const before = await read();
    await trainer.forward(batch(9).input);
    assert.deepEqual(await read(), before);
  });
}

Deno.test("forward and backward of a step read the old value, in a chain that fuses with the new one too", async () => {
  // y = x w b, where b doubles in each step: dw = sum of x b dy
  const scaled = (): Layer => {
    const factor = buffer("factor", [FEATURES], { init: [1, 2, 3, 4, 5] });
    return layer((x) => {
      const old = factor(x);
      assign(old, mul(old, 2));
      return mul(x, old);
    });
  };
  for (const fusion of [true, false]) {
    const model = sequential({
      fc0: linear(FEATURES, { bias: false }),
      scaled: scaled(),
      fc: linear(3, { bias: false }),
    });
    const definition = regression({ model, loader: { batchSize: BATCH }, compile: { fusion } });
    await using trainer = await createTrainer(definition, { keepGradients: true });
    const { data: w } = (await trainer.parameters()).get("fc0.weight")!;
    const { data: v } = (await trainer.parameters()).get("fc.weight")!;
    const { input, target } = batch(4);
    const { loss } = await trainer.step({ input, target });
    const h = Array.from(
      { length: BATCH * FEATURES },
      (_, i) =>
        dot(FEATURES, (k) => input[Math.floor(i / FEATURES) * FEATURES + k]! * w[i % FEATURES * FEATURES + k]!) *
        (i % FEATURES + 1),
    );
    const y = Array.from(
      { length: BATCH * 3 },
      (_, i) => dot(FEATURES, (k) => h[Math.floor(i / 3) * FEATURES + k]! * v[i % 3 * FEATURES + k]!),
    );
    assert.ok(Math.abs(loss - dot(y.length, (i) => y[i]! ** 2) / y.length) <= 1e-5 * loss, `${loss}`);
    const gradient = (await trainer.gradients()).get("fc0.weight")!.data;
    gradient.forEach((value, at) => {
      const [row, column] = [Math.floor(at / FEATURES), at % FEATURES];
      const wanted = dot(BATCH, (n) =>
        input[n * FEATURES + column]! * (row + 1) *
        dot(3, (o) => 2 / y.length * y[n * 3 + o]! * v[o * FEATURES + row]!));
      assert.ok(Math.abs(value - wanted) <= 1e-4, `${at}: ${value}, expected ${wanted}`);
    });
    assert.deepEqual([...(await trainer.runningState()).get("scaled.factor")!.data], [2, 4, 6, 8, 10]);
  }
});

function dot(n: number, term: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += term(i);
  return sum;
}

Deno.test("a step without an optimizer sets buffers too", async () => {
  const { optimizer: _, ...rest } = regression({
    model: sequential({ norm: centered(), fc: linear(3) }),
    loader: { batchSize: BATCH },
  });
  await using trainer = await createTrainer(rest);
  await trainer.step(batch(0));
  const expected = averaged([1, 2, 3, 4, 5], batch(0));
  const { data } = (await trainer.runningState()).get("norm.mean")!;
  data.forEach((value, c) => assert.ok(Math.abs(value - expected[c]!) <= 1e-6, `${value}`));
});

Deno.test("wrong uses are refused with the buffer's name and the fix", () => {
  const input = (): Tensor => new Graph().leaf("input", "x", rowMajor([4, 5], "f32"));
  const x = input();
  refuses(() => assign(x, x), /^assign: expected the tensor of a buffer\(\), got the output of "x"$/);
  const running = buffer("mean", [5])(x);
  refuses(() => assign(running, x), /^assign: buffer "mean" has shape \[5\], got a value of \[4, 5\]$/);
  assign(running, mean(x, { axes: [0] }));
  refuses(
    () => assign(running, running),
    /^assign: buffer "mean" is set twice in a step; compute one value from both$/,
  );
});
