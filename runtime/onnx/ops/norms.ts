/**
 * Normalisations, and dropout.
 *
 * @module
 */

import { add } from "../../../ops/add.ts";
import { div, mul, sub } from "../../../ops/arithmetic.ts";
import { avgPool2d } from "../../../ops/avg_pool2d.ts";
import { batchNorm } from "../../../ops/batch_norm.ts";
import { copy } from "../../../ops/copy.ts";
import { rsqrt, sqrt } from "../../../ops/exponential.ts";
import { pow } from "../../../ops/pow.ts";
import { pad } from "../../../ops/slice.ts";
import { reshape, reshapeTo } from "../../../ops/reshape.ts";
import { layerNorm, rmsNorm } from "../../../ops/row_norm.ts";
import { mean } from "../../../ops/sum.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant } from "../value.ts";
import { axisOf } from "./reductions.ts";
import { dropout } from "../../../ops/dropout.ts";
import { limitedSize } from "../host.ts";

/**
 * Batch normalisation. In training, it uses the batch's statistics and updates the running ones, which are state. ONNX's
 * momentum is the weight of the running statistics, Tacho's and PyTorch's that of the batch's.
 */
const batches: Operator = {
  type: "BatchNormalization",
  build(node) {
    const { attributes } = node;
    attributes.ignore("the scenario has the mode", "training_mode", "is_test");
    attributes.ignore("it concerns memory", "consumed_inputs");
    if (attributes.integer("spatial", 1) === 0) throw new InputError("spatial is 0; expected statistics per channel");
    const x = node.floats(0);
    const momentum = Math.round((1 - attributes.float("momentum", 0.9)) * 1e7) / 1e7;
    const options = { epsilon: attributes.float("epsilon", 1e-5), momentum };
    const [runningMean, runningVariance] = [node.state(3), node.state(4)];
    const tensors = { gamma: besideState(node, 1), beta: besideState(node, 2), runningMean, runningVariance };
    if (x.shape.length === 2 || x.shape.length === 4) return [batchNorm(x, tensors, options), null, null];
    const [n, c, ...sizes] = x.shape as [number, number, ...number[]];
    const images = reshapeTo(x, { shape: [n, c, 1, sizeOf(sizes)], layout: node.graph.imageLayout });
    return [reshape(batchNorm(images, tensors, options), x.shape), null, null];
  },
};

/** Returns a weight. One that is not trained is copied, since no kernel may read the buffer of the statistics it writes. */
function besideState(node: Application, i: number): Tensor {
  const value = node.value(i);
  const isFixed = isConstant(value) && !value.trained && node.graph.mode === "train";
  return isFixed ? copy(node.floats(i)) : node.floats(i);
}

/** Normalises the dimensions from `axis` on. */
const layers: Operator = {
  type: "LayerNormalization",
  build(node) {
    const { attributes } = node;
    attributes.ignore("statistics are f32", "stash_type");
    const x = node.floats(0);
    const dimensions = x.shape.length - axisOf(attributes.integer("axis", -1), x.shape);
    const [scale, bias] = [node.floats(1), node.has(2) ? node.floats(2) : null];
    const options = { epsilon: attributes.float("epsilon", 1e-5), dimensions };
    const fit = [scale, bias].every((weight) => weight === null || isRow(weight, x, dimensions));
    const scaled = () => mul(layerNorm(x, null, null, options), scale);
    const y = fit ? layerNorm(x, scale, bias, options) : bias === null ? scaled() : add(scaled(), bias);
    return [y, ...statistics(node, x, dimensions, options.epsilon)];
  },
};

/** Returns true for a weight with the shape of the last dimensions; others are broadcast. */
function isRow(weight: Tensor, x: Tensor, dimensions: number): boolean {
  return sameShape(weight.shape, x.shape.slice(-dimensions));
}

/** Returns the mean and the inverse deviation, where the file uses them. */
function statistics({ node }: Application, x: Tensor, dimensions: number, epsilon: number): (Tensor | null)[] {
  if (node.outputs.slice(1).every((name) => name === "")) return [null, null];
  const axes = x.shape.map((_, i) => i).slice(-dimensions);
  const centre = mean(x, { axes, keepDims: true });
  const centred = sub(x, centre);
  return [centre, rsqrt(add(mean(mul(centred, centred), { axes, keepDims: true }), epsilon))];
}

/** Adds a norm by the root mean square. */
export function rootNorm(node: Application): Tensor {
  const { attributes } = node;
  attributes.ignore("statistics are f32", "stash_type");
  const x = node.floats(0);
  const dimensions = x.shape.length - axisOf(attributes.integer("axis", -1), x.shape);
  const options = { epsilon: attributes.float("epsilon", 1e-5), dimensions };
  const scale = node.floats(1);
  return isRow(scale, x, dimensions) ? rmsNorm(x, scale, options) : mul(rmsNorm(x, null, options), scale);
}

/** Normalises groups of channels. Weights are per channel, or per group before version 21. */
function groupsOf(node: Application, groups: number): Tensor {
  const x = node.floats(0);
  const [n, c, ...sizes] = x.shape as [number, number, ...number[]];
  if (c % groups !== 0) throw new InputError(`${groups} groups of ${c} channels; expected a divisor`);
  const rows = reshape(x, [n, groups, c / groups * sizeOf(sizes)]);
  const normal = layerNorm(rows, null, null, { epsilon: node.attributes.float("epsilon", 1e-5) });
  const [scale, bias] = [node.floats(1), node.floats(2)];
  if (scale.shape[0] === c) {
    const shape = [c, ...sizes.map(() => 1)];
    return add(mul(reshape(normal, x.shape), reshape(scale, shape)), reshape(bias, shape));
  }
  if (scale.shape[0] !== groups) {
    throw new InputError(`a scale of ${formatShape(scale.shape)}; expected ${c} numbers, or ${groups}`);
  }
  return reshape(add(mul(normal, reshape(scale, [groups, 1])), reshape(bias, [groups, 1])), x.shape);
}

/** Divides by a power of the sum of squares over neighbouring channels (A. Krizhevsky et al., 2012). */
const responses: Operator = {
  type: "LRN",
  build(node) {
    const { attributes } = node;
    const x = node.floats(0);
    const size = attributes.integer("size", 1);
    const [alpha, beta, bias] = [
      attributes.float("alpha", 1e-4),
      attributes.float("beta", 0.75),
      attributes.float("bias", 1),
    ];
    const [n, c, ...sizes] = x.shape as [number, number, ...number[]];
    // Means over channels: an average pooling over the rows of [n, 1, channels, pixels]
    const squares = reshape(mul(x, x), [n, 1, c, sizeOf(sizes)]);
    const before = Math.floor((size - 1) / 2);
    const padded = pad(squares, [[0, 0], [0, 0], [before, size - 1 - before], [0, 0]]);
    const means = reshape(avgPool2d(padded, { kernel: [size, 1], stride: [1, 1] }), x.shape);
    return div(x, pow(add(mul(means, alpha), bias), beta));
  },
};

function groupCount({ attributes }: Application): number {
  attributes.ignore("statistics are f32", "stash_type");
  return attributes.integer("num_groups", 1);
}

/** Dropout in training; the file's own mode does not matter. The mask is not computed but for inference, where it is 1. */
const drop: Operator = {
  type: "Dropout",
  build(node) {
    const { attributes } = node;
    attributes.ignore("the scenario has the mode and the seed", "seed", "is_test");
    attributes.ignore("it concerns memory", "consumed_inputs");
    node.ignoreInput("the scenario has the mode", 2);
    const ratio = node.number(1, "the ratio") ?? attributes.float("ratio", 0.5);
    const x = node.value(0);
    const { shape } = x;
    const isRead = (node.node.outputs[1] ?? "") !== "";
    const mask = isRead && node.graph.mode === "infer"
      ? Constant.of("boolean", shape, new Float64Array(limitedSize(shape)).fill(1))
      : null;
    return [isConstant(x) && !x.trained ? x : dropout(node.tensor(0), ratio), mask];
  },
};

/** Subtracts the mean over axes and divides by the standard deviation. */
const standardize: Operator = {
  type: "MeanVarianceNormalization",
  build(node) {
    const x = node.floats(0);
    const axes = [...node.attributes.integers("axes") ?? [0, 2, 3]];
    const centred = sub(x, mean(x, { axes, keepDims: true }));
    const variance = mean(mul(centred, centred), { axes, keepDims: true });
    return div(centred, add(sqrt(variance), 1e-9));
  },
};

export const NORMS: readonly Operator[] = [
  batches,
  layers,
  { type: "RMSNormalization", build: rootNorm },
  responses,
  { type: "GroupNormalization", build: (node) => groupsOf(node, groupCount(node)) },
  { type: "InstanceNormalization", build: (node) => groupsOf(node, node.shape(0)[1]!) },
  drop,
  standardize,
];
