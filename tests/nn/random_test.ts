import assert from "node:assert/strict";
import {
  add,
  createTrainer,
  crossEntropy,
  flatten,
  layer,
  linear,
  randomNormal,
  randomUniform,
  scenario,
  sequential,
  sgd,
  syntheticImages,
} from "../../mod.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";

const noise = randomNormal({ std: 0.5 });
const latent = randomUniform({ shape: [6], low: -1 });
const wide = linear(4);
const narrow = linear(4);

const noisy = scenario({
  name: "noisy",
  model: sequential({
    noisy: layer((x) => add(x, noise(x))),
    flat: flatten(),
    head: layer((x) => add(wide(x), narrow(latent(x)))),
  }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ channels: 2, height: 4, width: 4, classes: 4, length: 32 }),
  loader: { batchSize: 4 },
  variants: { nhwc: {}, nchw: { compile: { layout: "nchw" } }, amp: { amp: "O2" } },
});

async function losses(variant: string, seed: number): Promise<number[]> {
  await using trainer = await createTrainer(noisy, { variant, overrides: [`seed=${seed}`] });
  const all: number[] = [];
  for (let i = 0; i < 3; i++) all.push((await trainer.step()).loss);
  return all;
}

Deno.test("a layer that generates data has the shape of its input or its own", () => {
  const x = new Graph().leaf("input", "x", rowMajor([3, 5], "f32"));
  assert.deepEqual(randomNormal()(x).shape, [3, 5]);
  assert.deepEqual(randomUniform({ shape: [2, 4, 4] })(x).shape, [3, 2, 4, 4]);
});

Deno.test("a model with generated data trains, repeats, and draws the same numbers in every layout and precision", async () => {
  const first = await losses("nhwc", 1);
  assert(first.every(Number.isFinite));
  assert.deepEqual(await losses("nhwc", 1), first);
  assert.notDeepEqual(await losses("nhwc", 2), first);
  for (const [variant, tolerance] of [["nchw", 1e-5], ["amp", 2e-2]] as const) {
    (await losses(variant, 1)).forEach((loss, i) => {
      assert(Math.abs(loss - first[i]!) < tolerance * first[i]!, `${variant}: ${loss} and ${first[i]}`);
    });
  }
});

Deno.test("wrong options are refused", () => {
  assert.throws(() => randomNormal({ std: -1 }), InputError);
  assert.throws(() => randomNormal({ shape: [0] }), InputError);
  assert.throws(() => randomUniform({ lo: 1 } as never), /low/);
});
