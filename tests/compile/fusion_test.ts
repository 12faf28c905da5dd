import assert from "node:assert/strict";
import {
  add,
  avgPool2d,
  batchNorm,
  conv2d,
  createTrainer,
  crossEntropy,
  dropout,
  flatten,
  gelu,
  layer,
  linear,
  relu,
  sequential,
  sgd,
  sigmoid,
  syntheticImages,
  tanh,
  type VariantDefinition,
} from "../../mod.ts";
import { compileInference, compileTraining } from "../../runtime/compile/compile.ts";
import { FUSIONS } from "../../runtime/scenario/fusion_names.ts";
import { full, sampled } from "../support/full.ts";
import { optionsOf } from "./programs.ts";

const conv = (channels: number, bias: boolean) => conv2d(channels, { kernel: 3, padding: 1, bias });
const inner = conv(5, true);
const square = linear(7, { bias: false });

/** A model that matches every pattern, with odd numbers of channels and features. */
const net = sequential({
  conv1: conv(5, true),
  relu1: relu(),
  conv2: conv(8, false),
  tanh2: tanh(),
  conv3: conv(5, false),
  bn3: batchNorm(),
  relu3: relu(),
  residual: layer((x) => relu()(add(inner(x), x))),
  normed: layer((x) => relu()(add(batchNorm()(x), x))),
  pool: avgPool2d({ kernel: 2 }),
  flatten: flatten(),
  fc1: linear(7),
  sigmoid: sigmoid(),
  chain: layer((x) => {
    const y = tanh()(dropout(0.2)(gelu()(x)));
    return add(sigmoid()(add(y, square(y))), y);
  }),
  fc2: linear(4),
});

const SHAPE = [4, 3, 9, 7];

function nodesOf(fusion: boolean | typeof FUSIONS[number][], mode: "train" | "infer" = "train") {
  const options = optionsOf(net, SHAPE, { fusion });
  return (mode === "train" ? compileTraining(options) : compileInference(options)).nodes;
}

Deno.test("each fusion matches its own pattern, and the fused node names its members", () => {
  const members = (name: typeof FUSIONS[number]) =>
    nodesOf([name]).filter(({ phase, members }) => phase === "forward" && members.length > 0).map(({ members }) =>
      members
    );
  assert.deepEqual(members("bias-activation"), [["conv1", "relu1"], ["conv2", "tanh2"], ["fc1", "sigmoid"]]);
  assert.deepEqual(members("bn-relu"), [["bn3", "relu3"]]);
  assert.deepEqual(members("bn-add-relu"), [["normed.batch_norm", "normed.add", "normed.relu"]]);
  assert.deepEqual(members("add-relu"), [["residual.add", "residual.relu"], ["normed.add", "normed.relu"]]);
  assert.deepEqual(members("elementwise"), [
    ["residual.add", "residual.relu"],
    ["normed.add", "normed.relu"],
    ["sigmoid", "chain.gelu", "chain.dropout", "chain.tanh"],
    ["chain.add", "chain.sigmoid", "chain.add_1"],
  ]);
});

Deno.test("gradients are fused: activation and bias in one pass, chains in one kernel", () => {
  const types = nodesOf(true).filter(({ phase }) => phase === "backward").map(({ type }) => type);
  assert.equal(types.filter((type) => type === "bias_activation_grad").length, 2);
  assert.ok(!types.includes("relu_grad") && !types.includes("sigmoid_grad"));
  const chains = nodesOf(["elementwise"]).filter(({ phase, type }) => phase === "backward" && type === "elementwise");
  assert.ok(chains.length >= 2);
  assert.ok(nodesOf(true).length < nodesOf(false).length - 12);
});

Deno.test("SINGA, which fuses nothing, is told every op of a kernel, and a linear layer's bias is no convolution's", () => {
  const names = nodesOf(true).map(({ id, aliases }) => [id, aliases["singa"]]);
  const singa = new Map(names as [string, string | undefined][]);
  assert.deepEqual(
    ["conv1", "conv1/relu_grad", "bn3", "fc1", "fc1/sigmoid_grad", "fc2/bias_grad", "@update.begin_update"].map((id) =>
      singa.get(id)
    ),
    [
      "cudnnConvForward+ReLU",
      "ReLUBackward+cudnnConvolutionBackwardBias",
      "GpuBatchNormForwardTraining+ReLU",
      "GEMM+Sigmoid",
      "SigmoidGrad+GEMV",
      "GEMV",
      "SetValue",
    ],
  );
  assert.equal(singa.get("conv2/tanh_grad"), "TanhGrad", "one op, without a bias");
});

Deno.test("GELU is fused into a linear layer only if no gradient needs its input", () => {
  const model = sequential({ flatten: flatten(), fc: linear(6), gelu: gelu() });
  const options = optionsOf(model, SHAPE, { fusion: ["bias-activation"] });
  assert.ok(compileTraining(options).nodes.every(({ members }) => members.length === 0));
  const members = compileInference(options).nodes.map(({ members }) => members).filter(({ length }) => length > 0);
  assert.deepEqual(members, [["fc", "gelu"]]);
});

async function losses(settings: VariantDefinition<Record<never, never>>): Promise<number[]> {
  const definition = {
    name: "fused",
    model: net,
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
    data: syntheticImages({ height: 9, width: 7, classes: 4, length: 32 }),
    loader: { batchSize: 4 },
    variants: { tested: settings },
  };
  await using trainer = await createTrainer(definition, { variant: "tested" });
  const values: number[] = [];
  for (let step = 0; step < 5; step++) values.push((await trainer.step()).loss);
  const probe = await trainer.forward(new Float32Array(4 * 3 * 9 * 7).fill(0.3));
  return [...values, ...probe];
}

Deno.test("fused and unfused ops give the same losses and outputs up to rounding", async (t) => {
  const plain = await losses({ compile: { fusion: false } });
  for (const fusion of [true, ...sampled(FUSIONS.map((name) => [name]), 2)]) {
    await t.step(String(fusion), async () => {
      const fused = await losses({ compile: { fusion } });
      fused.forEach((value, i) =>
        assert.ok(Math.abs(value - plain[i]!) <= 2e-5 * (1 + Math.abs(value)), `${i}: ${value}`)
      );
    });
  }
});

Deno.test("in mixed precision, losses of fused and unfused ops differ only by f16 rounding", async () => {
  for (const level of full ? ["O1", "O2"] as const : ["O2"] as const) {
    const amp = { level, scaler: { dynamic: false, init: 1024 } };
    const plain = await losses({ amp, compile: { fusion: false } });
    const fused = await losses({ amp });
    fused.forEach((value, i) =>
      assert.ok(Math.abs(value - plain[i]!) <= 0.02 * (1 + Math.abs(value)), `${i}: ${value}`)
    );
  }
});

Deno.test("outputs over inputs change no bit of the result and need less memory", async () => {
  for (const fusion of full ? [true, false] : [true]) {
    const apart = await losses({ compile: { fusion, inPlace: false } });
    assert.deepEqual(await losses({ compile: { fusion } }), apart);
  }
  const plan = (inPlace: boolean) => compileTraining(optionsOf(net, SHAPE, { fusion: false, inPlace }));
  assert.ok(plan(true).nodes.some(({ inPlace, phase }) => inPlace && phase === "forward"));
  assert.ok(plan(true).nodes.some(({ inPlace, phase }) => inPlace && phase === "backward"));
  assert.ok(plan(false).nodes.every(({ inPlace, phase }) => !inPlace || phase === "update"));
  const bytes = (slots: readonly number[]) => slots.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes(plan(true).slots) <= bytes(plan(false).slots));
});
