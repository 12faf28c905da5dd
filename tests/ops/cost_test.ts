/**
 * FLOPs and minimum bytes of every op, compared with values computed by hand. A multiply-add counts as two.
 */
import assert from "node:assert/strict";
import { activationGradOp, biasActivationGradOp } from "../../ops/activation_grad.ts";
import { addOp } from "../../ops/add.ts";
import { mulOp } from "../../ops/arithmetic.ts";
import { type AttentionAttrs, attentionGradOp, attentionOp } from "../../ops/attention.ts";
import { addReluOp } from "../../ops/add_relu.ts";
import { avgPool2dGradOp, avgPool2dOp } from "../../ops/avg_pool2d.ts";
import { batchNormGradOp, batchNormInferOp, batchNormOp } from "../../ops/batch_norm.ts";
import { biasGradOp } from "../../ops/bias_grad.ts";
import { castOp } from "../../ops/cast.ts";
import { conv2dInputGradOp, conv2dOp, conv2dWeightGradOp } from "../../ops/conv2d.ts";
import { copyOp } from "../../ops/copy.ts";
import { crossEntropyGradOp, crossEntropyOp } from "../../ops/cross_entropy.ts";
import { dropoutGradOp, dropoutOp } from "../../ops/dropout.ts";
import { elementwiseChainOp } from "../../ops/elementwise_chain.ts";
import { flattenOp } from "../../ops/flatten.ts";
import { geluOp } from "../../ops/gelu.ts";
import { globalAvgPool2dGradOp, globalAvgPool2dOp } from "../../ops/global_avg_pool2d.ts";
import { linearInputGradOp, linearOp, linearWeightGradOp } from "../../ops/linear.ts";
import { matmulOp } from "../../ops/matmul.ts";
import { maxPool2dGradOp, maxPool2dOp } from "../../ops/max_pool2d.ts";
import type { PointwiseLossOp } from "../../ops/pointwise_loss.ts";
import { reluOp } from "../../ops/relu.ts";
import { reshapeOp } from "../../ops/reshape.ts";
import { sigmoidOp } from "../../ops/sigmoid.ts";
import { expandOp, sumOp } from "../../ops/sum.ts";
import { tanhOp } from "../../ops/tanh.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { binaryCrossEntropyOp } from "../../runtime/nn/losses/binary_cross_entropy.ts";
import { huberOp } from "../../runtime/nn/losses/huber.ts";
import { meanSquaredErrorOp } from "../../runtime/nn/losses/mean_squared_error.ts";
import type { OptimizerSpec } from "../../runtime/nn/optimizers.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import type { DType } from "../../runtime/core/dtype.ts";
import type { OpDef } from "../../runtime/graph/op.ts";
import { activation, rowMajor, type TensorType } from "../../runtime/graph/types.ts";
import { adam, adamW, batchNorm, conv2d, flatten, linear, lion, relu, resnet, rmsprop, sequential } from "../../mod.ts";
import { crossEntropy, scenario, sgd, syntheticImages } from "../../mod.ts";
import { optionsOf } from "../compile/programs.ts";

const image = (...shape: number[]): TensorType => activation(shape, "f32");
const flat = (shape: readonly number[], dtype: DType = "f32"): TensorType => rowMajor(shape, dtype);

function check<A>(
  op: OpDef<A>,
  attrs: A,
  inputs: readonly TensorType[],
  expected: { readonly flops: number; readonly bytes: number },
): void {
  assert.deepEqual(op.cost(inputs, op.shape(inputs, attrs), attrs), expected, op.type);
}

const conv = { stride: [2, 2], padding: [1, 1], dilation: [1, 1], groups: 1 } as const;
const pool = { kernel: [3, 3], stride: [2, 2], padding: [1, 1] } as const;

Deno.test("convolutions and their two gradients: 2 FLOPs per product of a weight and a pixel", () => {
  // [2, 3, 8, 8] by [5, 3, 3, 3] with stride 2 gives [2, 5, 4, 4]: 160 pixels of 27 products
  const [x, weight, y] = [image(2, 3, 8, 8), flat([5, 3, 3, 3]), image(2, 5, 4, 4)];
  const flops = 2 * 160 * 27;
  check(conv2dOp, conv, [x, weight], { flops, bytes: 4 * (384 + 135 + 160) });
  // The bias is the initial value of the sum and costs no FLOPs
  check(conv2dOp, conv, [x, weight, flat([5])], { flops, bytes: 4 * (384 + 135 + 5 + 160) });
  check(conv2dInputGradOp, { ...conv, inputShape: x.shape }, [y, weight], { flops, bytes: 4 * (160 + 135 + 384) });
  check(conv2dWeightGradOp, { ...conv, weight }, [x, y], { flops, bytes: 4 * (384 + 160 + 135) });
  const half = { ...conv, groups: 2 };
  // [2, 4, 8, 8] by [6, 2, 3, 3] in 2 groups: 192 pixels of 18 products
  check(conv2dOp, half, [image(2, 4, 8, 8), flat([6, 2, 3, 3])], {
    flops: 2 * 192 * 18,
    bytes: 4 * (512 + 108 + 192),
  });
  // f16 halves the bytes only
  const small = [activation([2, 3, 8, 8], "f16"), flat([5, 3, 3, 3], "f16")];
  check(conv2dOp, conv, small, { flops, bytes: 2 * (384 + 135 + 160) });
});

Deno.test("matrix products: 2 m n k FLOPs, each matrix moved once", () => {
  const [x, weight, y] = [flat([8, 10]), { ...flat([6, 10]), layout: "io" } as const, flat([8, 6])];
  check(linearOp, null, [x, weight], { flops: 960, bytes: 4 * (80 + 60 + 48) });
  check(linearOp, null, [x, weight, flat([6])], { flops: 960, bytes: 4 * (80 + 60 + 6 + 48) });
  check(linearInputGradOp, null, [y, weight], { flops: 960, bytes: 4 * (48 + 60 + 80) });
  check(linearWeightGradOp, { weight }, [x, y], { flops: 960, bytes: 4 * (80 + 48 + 60) });
  const plain = { transposeA: false, transposeB: false, sumBatch: false };
  check(matmulOp, plain, [flat([3, 4, 5]), flat([3, 5, 7])], { flops: 2 * 3 * 4 * 5 * 7, bytes: 4 * (60 + 105 + 84) });
  check(biasGradOp, { bias: flat([5]) }, [image(2, 5, 4, 4)], { flops: 160, bytes: 4 * (160 + 5) });
});

Deno.test("tiled attention: products and exponentials of the pairs that attend, no matrix of weights", () => {
  const attrs: AttentionAttrs = {
    ...{ order: "heads", heads: 2, kvHeads: 1, scale: 1, causal: true, window: 0, dropout: 0, key: 0 },
  };
  // 2 heads of 3 queries, which attend to 1, 2 and 3 keys: 12 pairs of 4 features and 5 values
  const [q, k, v, y, rows] = [
    flat([1, 2, 3, 4]),
    flat([1, 1, 3, 4]),
    flat([1, 1, 3, 5]),
    flat([1, 2, 3, 5]),
    flat([6]),
  ];
  check(attentionOp, attrs, [q, k, v], { flops: 12 * (2 * 9 + 5), bytes: 4 * (24 + 12 + 15 + 30 + 6) });
  // The scores again, the gradients of weights, and three sums
  check(attentionGradOp, attrs, [y, y, rows, q, k, v], {
    flops: 12 * (3 * 2 * 4 + 2 * 2 * 5 + 6),
    bytes: 4 * (30 + 30 + 6 + 24 + 12 + 15 + 24 + 12 + 15),
  });
  // Two keys at most, and all
  check(attentionOp, { ...attrs, window: 2 }, [q, k, v], { flops: 10 * 23, bytes: 4 * 87 });
  check(attentionOp, { ...attrs, causal: false }, [q, k, v], { flops: 18 * 23, bytes: 4 * 87 });
  const joined = { ...attrs, order: "joined" } as const;
  check(attentionOp, joined, [flat([1, 3, 16])], { flops: 12 * 21, bytes: 4 * (48 + 24 + 6) });
});

Deno.test("batch normalisation: statistics, values, residual and activation, with x read twice", () => {
  // x of 2 * 3 * 4 * 4 = 96 elements in 3 channels
  const x = image(2, 3, 4, 4);
  const channel = flat([3]);
  const plain = { epsilon: 1e-5, momentum: 0.1, activation: "none" } as const;
  const relu = { ...plain, activation: "relu" } as const;
  const inputs = [x, channel, channel, channel, channel];
  // Reads x twice, gamma, beta and the running values; writes y, mean and deviation, and the running values
  check(batchNormOp, plain, inputs, { flops: 8 * 96, bytes: 4 * (2 * 96 + 12 + 96 + 6 + 6) });
  check(batchNormOp, relu, inputs, { flops: 9 * 96, bytes: 4 * (2 * 96 + 12 + 96 + 6 + 6) });
  check(batchNormOp, relu, [...inputs, x], { flops: 10 * 96, bytes: 4 * (2 * 96 + 12 + 96 + 96 + 6 + 6) });
  check(batchNormInferOp, plain, inputs, { flops: 4 * 96, bytes: 4 * (96 + 12 + 96) });
  check(batchNormInferOp, relu, [...inputs, x], { flops: 6 * 96, bytes: 4 * (96 + 12 + 96 + 96) });
  const grad = { activation: "none", residual: false, betaType: "f32" } as const;
  const saved = flat([2, 3]);
  // dy and x twice, gamma, the saved values; dx, dgamma, dbeta
  check(batchNormGradOp, grad, [x, x, channel, saved], { flops: 9 * 96, bytes: 4 * (4 * 96 + 3 + 6 + 96 + 6) });
  // Reads y twice as well
  check(batchNormGradOp, { ...grad, activation: "relu" }, [x, x, channel, saved, x], {
    flops: 11 * 96,
    bytes: 4 * (6 * 96 + 3 + 6 + 96 + 6),
  });
  // beta instead of y, whose sign then costs a product and a sum, twice
  check(batchNormGradOp, { ...grad, activation: "relu", sign: "x" }, [x, x, channel, saved, channel], {
    flops: 15 * 96,
    bytes: 4 * (4 * 96 + 2 * 3 + 6 + 96 + 6),
  });
  // Reads two gradients, x and y; writes their masked sum, reads it again with x, and writes dx
  check(batchNormGradOp, { ...grad, activation: "relu", residual: true, second: true }, [x, x, channel, saved, x, x], {
    flops: 12 * 96,
    bytes: 4 * (4 * 96 + 3 + 6 + 2 * 96 + 6 + 2 * 96),
  });
});

Deno.test("pooling: one window per output", () => {
  // [2, 3, 8, 8] -> [2, 3, 4, 4]: 384 and 96 elements, windows of 9
  const [x, y] = [image(2, 3, 8, 8), image(2, 3, 4, 4)];
  check(maxPool2dOp, pool, [x], { flops: 96 * 9, bytes: 4 * (384 + 96) });
  check(maxPool2dGradOp, pool, [y, x, y], { flops: 96 * 10, bytes: 4 * (96 + 384 + 96 + 384) });
  const average = { ...pool, countIncludePad: true };
  check(avgPool2dOp, average, [x], { flops: 96 * 9, bytes: 4 * (384 + 96) });
  check(avgPool2dGradOp, { ...average, size: [8, 8] }, [y], { flops: 96 * 10, bytes: 4 * (96 + 384) });
  check(globalAvgPool2dOp, {}, [x], { flops: 384, bytes: 4 * (384 + 6) });
  const [mean] = globalAvgPool2dOp.shape([x], {});
  check(globalAvgPool2dGradOp, { size: [8, 8] }, [mean!], { flops: 6, bytes: 4 * (6 + 384) });
});

Deno.test("activations: the arithmetic of their formulas, with each element moved once", () => {
  const x = flat([4, 25]);
  const once = { bytes: 4 * 200 };
  check(reluOp, {}, [x], { flops: 100, ...once });
  check(sigmoidOp, {}, [x], { flops: 500, ...once });
  check(tanhOp, {}, [x], { flops: 1500, ...once });
  check(geluOp, { approximate: "none" }, [x], { flops: 2800, ...once });
  check(geluOp, { approximate: "tanh" }, [x], { flops: 1100, ...once });
  const derivatives = [
    [reluOp.derivative({}), 1],
    [sigmoidOp.derivative({}), 3],
    [tanhOp.derivative({}), 3],
    [geluOp.derivative({ approximate: "none" }), 34],
    [geluOp.derivative({ approximate: "tanh" }), 20],
  ] as const;
  for (const [form, each] of derivatives) {
    check(activationGradOp, { form }, [x, x], { flops: 100 * each, bytes: 4 * 300 });
  }
  // The sums over rows add one addition per element, and 25 values
  const bias = { form: reluOp.derivative({}), bias: flat([25]) };
  check(biasActivationGradOp, bias, [x, x], { flops: 200, bytes: 4 * (300 + 25) });
});

Deno.test("broadcast operands are read once, and reductions write one number per sum", () => {
  const [x, row] = [flat([4, 25]), flat([25])];
  check(mulOp, {}, [x, row], { flops: 100, bytes: 4 * (100 + 25 + 100) });
  check(mulOp, { numbers: [null, 2] }, [x], { flops: 100, bytes: 4 * 200 });
  check(mulOp.gradientOp, { operand: 1 }, [x, x], { flops: 100, bytes: 4 * 300 });
  check(expandOp, { shape: [4, 25], layout: "row", scale: 1 }, [row], { flops: 0, bytes: 4 * 125 });
  check(sumOp, { axes: [0], keepDims: false }, [x], { flops: 100, bytes: 4 * 125 });
});

Deno.test("losses, dropout and ops that move elements", () => {
  const [logits, classes] = [flat([8, 10]), flat([8], "i32")];
  // Reads logits and targets; writes the loss, two values per row and the sum of weights
  const options = { labelSmoothing: 0, ignoreIndex: -100, weight: null };
  check(crossEntropyOp, options, [logits, classes], { flops: 400, bytes: 4 * (80 + 8 + 1 + 16 + 1) });
  check(crossEntropyGradOp, options, [flat([1]), logits, classes, flat([2, 8]), flat([1])], {
    flops: 480,
    bytes: 4 * (1 + 80 + 8 + 16 + 1 + 80),
  });
  const pointwise = <A>(op: PointwiseLossOp<A>, attrs: A, each: readonly [number, number]) => {
    check(op, attrs, [logits, logits], { flops: 80 * each[0], bytes: 4 * (80 + 80 + 1) });
    const bytes = 4 * (1 + 80 + 80 + 80);
    check(op.gradientOp, attrs, [flat([1]), logits, logits], { flops: 80 * each[1], bytes });
  };
  pointwise(meanSquaredErrorOp, {}, [3, 2]);
  // Difference, magnitude, test, square, sum; backward: difference, two bounds, factor
  pointwise(huberOp, { delta: 1 }, [6, 4]);
  // max, product, difference, magnitude, exp, log(1 + e) (2), two sums; backward: sigmoid (5), difference, factor
  pointwise(binaryCrossEntropyOp, {}, [9, 7]);
  const state = flat([16], "u32");
  // The draws are integers, and the mask is never stored
  check(dropoutOp, { p: 0.5, planes: null }, [logits, state], { flops: 80, bytes: 4 * 160 });
  check(dropoutGradOp, { p: 0.5, planes: null, key: 1 }, [logits, state], { flops: 80, bytes: 4 * 160 });
  check(addOp, {}, [logits, logits], { flops: 80, bytes: 4 * 240 });
  check(addReluOp, {}, [logits, logits], { flops: 160, bytes: 4 * 240 });
  check(castOp, { dtype: "f16" }, [logits], { flops: 0, bytes: (4 + 2) * 80 });
  check(copyOp, {}, [logits], { flops: 0, bytes: 4 * 160 });
  // Rows are a view; images are transposed
  check(reshapeOp, { shape: [4, 20], layout: "row" }, [logits], { flops: 0, bytes: 0 });
  check(flattenOp, {}, [logits], { flops: 0, bytes: 0 });
  check(flattenOp, {}, [image(2, 3, 4, 4)], { flops: 0, bytes: 4 * 192 });
  // ReLU of a sum in one kernel: the sum stays in registers
  const chain = {
    steps: [
      { form: addOp.elementwise({}), sources: [{ input: 0 }, { input: 1 }] },
      { form: reluOp.elementwise({}), sources: [{ step: 0 }] },
    ],
    outputs: [{ step: 1, type: logits }],
  };
  check(elementwiseChainOp, chain, [logits, logits], { flops: 160, bytes: 4 * 240 });
});

Deno.test("update: FLOPs and memory traffic per parameter", () => {
  // 10 -> 6 with a bias: 66 parameters, padded in memory but not counted
  const model = () => sequential({ fc: linear(6) });
  const work = (optimizer: OptimizerSpec) => {
    const { nodes } = compileTraining(optionsOf(model(), [8, 10], { optimizer }));
    const { flops, bytes } = nodes.find(({ type }) => type === optimizer.kind)!;
    return { flops: flops / 66, passes: bytes / 66 / 4 };
  };
  // Reads the gradient and the parameter, writes the parameter; reads and writes each state
  assert.deepEqual(work(sgd({ learningRate: 0.1 })), { flops: 5, passes: 3 });
  assert.deepEqual(work(sgd({ learningRate: 0.1, momentum: 0.9 })), { flops: 7, passes: 5 });
  assert.deepEqual(work(sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true })), { flops: 9, passes: 5 });
  assert.deepEqual(work(adam()), { flops: 16, passes: 7 });
  assert.deepEqual(work(adamW()), { flops: 15, passes: 7 });
  assert.deepEqual(work(rmsprop()), { flops: 12, passes: 5 });
  assert.deepEqual(work(rmsprop({ centered: true, momentum: 0.9 })), { flops: 20, passes: 9 });
  assert.deepEqual(work(lion()), { flops: 11, passes: 5 });
});

Deno.test("fused ops do their members' work with fewer bytes", () => {
  const net = () =>
    sequential({ conv: conv2d(5, { kernel: 3 }), bn: batchNorm(), act: relu(), flat: flatten(), fc: linear(4) });
  const sums = (fusion: boolean) => {
    const nodes = compileTraining(optionsOf(net(), [2, 3, 8, 8], { fusion })).nodes
      .filter(({ phase }) => phase === "forward");
    const sum = (key: "flops" | "bytes") => nodes.reduce((sum, node) => sum + node[key], 0);
    return { flops: sum("flops"), bytes: sum("bytes") };
  };
  const [fused, plain] = [sums(true), sums(false)];
  assert.equal(fused.flops, plain.flops);
  assert(fused.bytes < plain.bytes, `${fused.bytes} and ${plain.bytes}`);
});

Deno.test("ResNet-50 at 224 takes 4.1 GMAC forward, and twice that backward except for the gradient of its input", () => {
  const big = scenario({
    name: "resnet50",
    model: resnet({ depth: 50, classes: 1000 }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: syntheticImages({ height: 224, width: 224, classes: 1000, length: 4 }),
    loader: { batchSize: 1 },
    variants: { one: {} },
  });
  const { config } = resolveScenario(big).variants[0]!;
  const { plan } = compileVariant(config, describeDataset(config.data), DEFAULT_TRAITS);
  const products = (ops: readonly { readonly type: string }[]) =>
    plan.nodes.filter(({ type }) => ops.some((op) => op.type === type)).reduce((sum, { flops }) => sum + flops, 0) / 2;
  const forward = plan.nodes.filter(({ phase }) => phase === "forward").map(({ type }) => type);
  const macs = plan.nodes
    .filter(({ phase, type }) => phase === "forward" && /^(conv2d|linear)/.test(type))
    .reduce((sum, { flops }) => sum + flops, 0) / 2;
  assert.equal(forward.filter((type) => type.startsWith("conv2d")).length, 53);
  // Summed by hand over the paper's 53 convolutions (stride in the 3x3) and the 2048 x 1000 classifier
  assert.equal(macs, 4_089_184_256);
  const stem = 112 * 112 * 64 * 3 * 49;
  assert.equal(products([conv2dInputGradOp, linearInputGradOp]), macs - stem);
  assert.equal(products([conv2dWeightGradOp, linearWeightGradOp]), macs);
});
