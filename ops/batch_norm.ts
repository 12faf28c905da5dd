import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { KernelContext, OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, isImages, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { floatType } from "./kernels/access.ts";
import { batchNormInfer, type BatchNormKernelOptions, batchNormTrain } from "./kernels/batch_norm.ts";
import { channelRows } from "./kernels/channel_rows.ts";
import { floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";
import { asImages } from "./to_layout.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { batchNormGrad } from "./kernels/batch_norm_grad.ts";

export interface BatchNormAttrs {
  /** Added to the variance. */
  readonly epsilon: number;
  /** Weight of the batch: running = (1 - momentum) running + momentum batch, as in PyTorch. */
  readonly momentum: number;
  /** Activation that is applied last. */
  readonly activation: "none" | "relu";
}

export interface BatchNormTensors {
  /** `[c]` */
  readonly gamma: Tensor;
  /** `[c]` */
  readonly beta: Tensor;
  /** `[c]`, a leaf of kind `state` */
  readonly runningMean: Tensor;
  /** `[c]`, a leaf of kind `state` */
  readonly runningVariance: Tensor;
  /** Added before the activation; of x's type. */
  readonly residual?: Tensor;
}

/**
 * Batch normalisation in training (S. Ioffe and C. Szegedy, arXiv:1502.03167; PyTorch's conventions):
 *
 *     y = act((x - mean) / sqrt(variance + epsilon) gamma + beta (+ residual))
 *
 * per channel of `[n, c]` or `[n, c, h, w]`, with the batch's mean and biased variance. The running values move towards
 * the mean and the unbiased variance.
 *
 * Inputs: x, gamma, beta, running mean, running variance and an optional residual. Outputs: y, and for the gradient f32
 * `[2, c]` of mean and 1 / sqrt(variance + epsilon).
 */
export const batchNormOp: OpDef<BatchNormAttrs> = {
  type: "batch_norm",
  precision: "normalize",
  aliases: { singa: "GpuBatchNormForwardTraining", nnc: "BatchNormalization" },
  mutates: [3, 4],
  recomputed: (attrs) => ({ ...attrs, momentum: 0 }),
  // The gradient reads x
  inPlace: () => [{ input: 5, output: 0 }],
  shape(inputs, attrs) {
    const y = checked(inputs, attrs);
    const channels = y.shape[1]!;
    const rows = sizeOf(y.shape) / channels;
    if (rows < 2) {
      throw new InputError(
        `batch_norm expects more than one value per channel in training, got ${
          formatShape(y.shape)
        }; use larger batches`,
      );
    }
    return [y, rowMajor([2, channels], "f32")];
  },
  cost,
  gradient(node, [dy], needs) {
    if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
    const [x, gamma, , , , residual] = node.inputs as readonly [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor?];
    const relu = node.attrs.activation === "relu";
    const masked = relu && residual !== undefined && needs[5] === true;
    const inputs = [dy, x, gamma, outputOf(node, 1), ...(relu ? [outputOf(node, 0)] : [])];
    const attrs: BatchNormGradAttrs = {
      activation: node.attrs.activation,
      residual: masked,
      betaType: floatType(node.inputs[2]!.type),
    };
    const wanted = needs[0] || needs[1] || needs[2] || masked;
    const [dx, dgamma, dbeta, d] = wanted ? dy.graph.apply(batchNormGradOp, attrs, inputs) : [];
    const gradients = [dx, dgamma, dbeta, null, null, relu ? d : dy];
    return node.inputs.map((_, i) => needs[i] ? gradients[i] ?? null : null);
  },
  candidates: (context) => [
    batchNormTrain({
      ...kernelOptions(context),
      momentum: context.attrs.momentum,
      saved: outputBuffer(context.outputs, 1),
    }),
  ],
};

/** {@linkcode batchNormOp} with the running values instead of the batch's. Output: y. */
export const batchNormInferOp: OpDef<BatchNormAttrs> = {
  type: "batch_norm",
  precision: "normalize",
  aliases: { singa: "GpuBatchNormForwardTraining", nnc: "BatchNormalization" },
  shape: (inputs, attrs) => [checked(inputs, attrs)],
  cost,
  inPlace: () => [{ input: 0, output: 0 }, { input: 5, output: 0 }],
  candidates: (context) => [batchNormInfer(kernelOptions(context))],
};

/** Normalises `[n, c]` or `[n, c, h, w]` with the batch's statistics in training and the running values otherwise. */
export function batchNorm(x: Tensor, tensors: BatchNormTensors, options: Partial<BatchNormAttrs> = {}): Tensor {
  const { gamma, beta, runningMean, runningVariance, residual } = tensors;
  const attrs: BatchNormAttrs = {
    epsilon: options.epsilon ?? 1e-5,
    momentum: options.momentum ?? 0.1,
    activation: options.activation ?? "none",
  };
  const data = [asImages(x), gamma, beta, runningMean, runningVariance];
  const inputs = residual === undefined ? data : [...data, asImages(residual)];
  return x.graph.apply(x.graph.mode === "train" ? batchNormOp : batchNormInferOp, attrs, inputs)[0]!;
}

/** Returns attributes of the same normalisation followed by a ReLU. */
export function thenRelu(attrs: BatchNormAttrs): BatchNormAttrs {
  return { ...attrs, activation: "relu" };
}

/** Checks the inputs and returns y's type. */
function checked(inputs: readonly TensorType[], { epsilon, momentum }: BatchNormAttrs): TensorType {
  const [x, ...rest] = inputs as readonly [TensorType, ...TensorType[]];
  floatOf(x, "batch_norm");
  if (x.shape.length !== 2 && !isImages(x)) {
    throw new InputError(`batch_norm expects [n, c] or [n, c, h, w], got ${formatShape(x.shape)}`);
  }
  ["gamma", "beta", "the running mean", "the running variance"].forEach((what, i) => {
    floatOf(rest[i]!, "batch_norm", what);
    if (!sameShape(rest[i]!.shape, [x.shape[1]!])) {
      throw new InputError(
        `batch_norm expects ${what} to have one value for each of the ${x.shape[1]} channels of ` +
          `${formatShape(x.shape)}, got ${formatShape(rest[i]!.shape)}; make the layer for ${x.shape[1]} features`,
      );
    }
  });
  const residual = rest[4];
  if (residual !== undefined && (!sameShape(residual.shape, x.shape) || residual.dtype !== x.dtype)) {
    throw new InputError(
      `batch_norm expects a residual of the input's type ${formatType(x)}, got ${formatType(residual)}`,
    );
  }
  if (!(epsilon >= 0)) throw new InputError(`batch_norm expects an epsilon of at least 0, got ${epsilon}`);
  if (!(momentum >= 0 && momentum <= 1)) {
    throw new InputError(`batch_norm expects a momentum from 0 to 1, got ${momentum}`);
  }
  return x;
}

/**
 * Counts per element 4 FLOPs for the value, 4 in training for mean and variance, then the residual and the activation.
 */
function cost(inputs: readonly TensorType[], outputs: readonly TensorType[], { activation }: BatchNormAttrs) {
  const trains = outputs.length === 2;
  const behind = (inputs.length > 5 ? 1 : 0) + (activation === "relu" ? 1 : 0);
  return {
    flops: ((trains ? 8 : 4) + behind) * sizeOf(outputs[0]!.shape),
    // A second pass reads x again once the mean is known, and the running values are written too
    bytes: bytesOf(...inputs, ...outputs, ...(trains ? [inputs[0], inputs[3], inputs[4]] : [])),
  };
}

function kernelOptions(
  { inputs, outputs, traits, attrs, over }: KernelContext<BatchNormAttrs>,
): BatchNormKernelOptions {
  return {
    shape: channelRows(inputs[0]!, traits),
    traits,
    epsilon: attrs.epsilon,
    activation: attrs.activation,
    buffers: {
      x: inputBuffer(inputs, 0),
      gamma: inputBuffer(inputs, 1),
      beta: inputBuffer(inputs, 2),
      runningMean: inputBuffer(inputs, 3),
      runningVariance: inputBuffer(inputs, 4),
      residual: inputs.length > 5 ? inputBuffer(inputs, 5) : null,
      y: outputBuffer(outputs, 0, over),
    },
  };
}

export interface BatchNormGradAttrs {
  /** Activation of the forward node. */
  readonly activation: "none" | "relu";
  /** True if the masked dy, which is the gradient of the residual, is an output. */
  readonly residual: boolean;
  /**
   * Tensor that shows where the ReLU passed values: its output y, or x if there is no residual; beta then replaces y.
   */
  readonly sign?: "y" | "x";
  /** True if dy is the sum of input 0 and the last input. */
  readonly second?: boolean;
  /** Type of dbeta; dgamma has the type of gamma. */
  readonly betaType: FloatType;
}

/**
 * Gradient of batch normalisation with the batch's statistics; see `kernels/batch_norm_grad.ts` for the formulas.
 *
 * Inputs: dy, x, gamma, mean and inverse standard deviation f32 `[2, c]`, y if the activation is relu, and the second
 * gradient if `second`. Outputs: dx, dgamma, dbeta, and the masked dy if `residual`.
 */
export const batchNormGradOp: OpDef<BatchNormGradAttrs> = {
  type: "batch_norm_grad",
  precision: "normalize",
  aliases: { singa: "GpuBatchNormBackward" },
  shape([dy, x, gamma], { residual, betaType }) {
    return [x!, gamma!, rowMajor(gamma!.shape, betaType), ...(residual ? [dy!] : [])];
  },
  cost: (inputs, outputs, { activation, second = false, sign = "y" }) => ({
    flops: ((activation === "relu" ? 11 : 9) + (second ? 1 : 0) + (sign === "x" ? 4 : 0)) * sizeOf(outputs[0]!.shape),
    // The sums and dx each read dy, x and y. If dy is a sum of two, dx reads x and the masked dy
    bytes: bytesOf(
      ...inputs,
      ...outputs,
      ...(second ? [inputs[1], outputs[3]] : inputs.filter((_, i) => i < 2 || (i === 4 && sign === "y"))),
    ),
  }),
  inPlace: (_inputs, outputs) => [{ input: 0, output: 0 }, ...(outputs.length > 3 ? [{ input: 0, output: 3 }] : [])],
  candidates: ({ inputs, outputs, traits, attrs, over }) => [batchNormGrad({
    shape: channelRows(inputs[1]!, traits),
    traits,
    buffers: {
      dy: inputBuffer(inputs, 0),
      x: inputBuffer(inputs, 1),
      gamma: inputBuffer(inputs, 2),
      saved: inputBuffer(inputs, 3),
      second: attrs.second ? inputBuffer(inputs, inputs.length - 1) : null,
      y: attrs.activation === "relu" && attrs.sign !== "x" ? inputBuffer(inputs, 4) : null,
      beta: attrs.sign === "x" ? inputBuffer(inputs, 4) : null,
      dx: outputBuffer(outputs, 0, over),
      dgamma: outputBuffer(outputs, 1),
      dbeta: outputBuffer(outputs, 2),
      dresidual: attrs.residual ? outputBuffer(outputs, 3, over) : null,
    },
  })],
};
