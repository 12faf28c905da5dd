/**
 * Forward pass of batch normalisation: y = act((x - mean) scale + beta (+ residual)), scale = gamma / sqrt(variance +
 * epsilon).
 *
 * Training takes three kernels. In the first, each lane sums some rows of its channels, shifted by its first row; the
 * shift bounds the cancellation by the number of rows, regardless of the mean. In the second, one lane per channel
 * merges these sums into the batch's mean and variance (T. Chan, G. Golub and R. LeVeque, "Algorithms for Computing the
 * Sample Variance", 1983) and updates the running values. The third computes y.
 *
 * @module
 */
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, load, store } from "./access.ts";
import { type ChannelRows, partialWalk, placeWidth, writingWalk } from "./channel_rows.ts";
import { mergeKernel, rowsKernel, type RowsKernelOptions, type RowsText } from "./rows_kernel.ts";
import { declare, variantName } from "./tensors.ts";

export interface BatchNormBuffers {
  readonly x: FloatBuffer;
  readonly gamma: FloatBuffer;
  readonly beta: FloatBuffer;
  readonly runningMean: FloatBuffer;
  readonly runningVariance: FloatBuffer;
  readonly residual: FloatBuffer | null;
  readonly y: FloatBuffer;
}

export interface BatchNormKernelOptions {
  readonly shape: ChannelRows;
  readonly traits: DeviceTraits;
  readonly buffers: BatchNormBuffers;
  readonly epsilon: number;
  readonly activation: "none" | "relu";
}

/**
 * Normalises with the batch's statistics, for training. `saved` is f32 `[2, channels]`: mean, 1 / sqrt(variance +
 * epsilon).
 */
export function batchNormTrain(
  options: BatchNormKernelOptions & { readonly momentum: number; readonly saved: FloatBuffer },
): KernelPlan {
  const { shape, traits, buffers } = options;
  const { x, gamma, beta, runningMean, runningVariance } = buffers;
  const { width } = shape;
  const alone = traits.class === "cpu";
  const walk = partialWalk(shape, traits);
  const vector = elementType("f32", width);
  const bytes = walk.lanes * shape.channels * 8;
  const statistics = rowsKernel({
    name: `batch_norm.statistics.${variantName({ x }, placeWidth(shape))}`,
    shape,
    traits,
    walk,
    reads: { x },
    writes: {},
    buffers: { parts: { ref: { workspace: 0 }, type: vector } },
    variables: ["shift", "sum", "squares"],
    before: ({ shift, sum, squares }) =>
      `${
        alone
          ? `var ${shift} = V(0.0)`
          : `let ${shift} = ${load("x_", "place(firstRow(lane), column)", x.dtype, width)}`
      };
  var ${sum} = V(0.0);
  var ${squares} = V(0.0);`,
    each: ({ shift, sum, squares }) =>
      `${alone ? `if (row == firstRow(lane)) { ${shift} = x; }\n    ` : ""}let d = x - ${shift};
    ${sum} += d;
    ${squares} += d * d;`,
    sums: ["sum", "squares"],
    after: ({ index, shift, sum, squares }) =>
      `let count = max(f32(rowCount(lane)), 1.0);
  parts[${index} * 2u] = ${shift} + ${sum} / count;
  parts[${index} * 2u + 1u] = max(${squares} - ${sum} * ${sum} / count, V(0.0));`,
  });
  const update = (name: string, { dtype }: FloatBuffer, value: string) =>
    store(name, "c", `mix(${load(name, "c", dtype, width)}, ${value}, V(u.momentum))`, { dtype }, width);
  const merge = mergeKernel({
    name: `batch_norm.merge.${variantName({ gamma, beta, runningMean, runningVariance }, width)}`,
    shape,
    traits,
    walk,
    uniforms: { epsilon: { f32: options.epsilon }, momentum: { f32: options.momentum } },
    buffers: {
      parts: { ref: { workspace: 0 }, type: vector, access: "read" },
      gamma: declare(gamma, width),
      beta: declare(beta, width),
      runningMean: { ...declare(runningMean, width), access: "read_write" },
      runningVariance: { ...declare(runningVariance, width), access: "read_write" },
      saved: declare(options.saved, width),
      channel: { ref: { workspace: 1 }, type: vector },
    },
    body: ({ lanes, add, once }) =>
      `let first = parts[c * 2u];
  var offset = V(0.0);
  ${lanes} {
    offset += f32(rowCount(lane)) * (parts[(lane * u.groups + c) * 2u] - first);
  }${add("offset")}
  let mean = first + offset / f32(u.rows);
  var squares = V(0.0);
  ${lanes} {
    let at = (lane * u.groups + c) * 2u;
    let d = parts[at] - mean;
    squares += parts[at + 1u] + f32(rowCount(lane)) * d * d;
  }${add("squares")}
  ${
        once(`let inverse = 1.0 / sqrt(squares / f32(u.rows) + u.epsilon);
  ${store("saved", "c", "mean", options.saved, width)}
  ${store("saved", "u.groups + c", "inverse", options.saved, width)}
  ${update("runningMean", runningMean, "mean")}
  ${update("runningVariance", runningVariance, "squares / f32(u.rows - 1u)")}
  channel[c] = mean;
  channel[u.groups + c] = ${load("gamma", "c", gamma.dtype, width)} * inverse;
  channel[2u * u.groups + c] = ${load("beta", "c", beta.dtype, width)};`)
      }`,
  });
  const apply = applyKernel("batch_norm.apply", options, {
    buffers: { channel: { ref: { workspace: 1 }, type: vector, access: "read" } },
    before: ({ c, mean, scale, shift }) =>
      `let ${mean} = channel[${c}];
  let ${scale} = channel[u.groups + ${c}];
  let ${shift} = channel[2u * u.groups + ${c}];`,
  });
  return {
    name: `batch_norm.${variantName({ x }, placeWidth(shape))}`,
    kernels: [statistics, merge, apply],
    workspace: [bytes, shape.channels * 12],
  };
}

/** Normalises with the running statistics, for inference, in one kernel. */
export function batchNormInfer(options: BatchNormKernelOptions): KernelPlan {
  const { gamma, beta, runningMean, runningVariance } = options.buffers;
  const { width } = options.shape;
  const apply = applyKernel("batch_norm.infer", options, {
    buffers: {
      gamma: declare(gamma, width),
      beta: declare(beta, width),
      runningMean: declare(runningMean, width),
      runningVariance: declare(runningVariance, width),
    },
    uniforms: { epsilon: { f32: options.epsilon } },
    before: ({ c, mean, variance, scale, shift }) =>
      `let ${mean} = ${load("runningMean", c, runningMean.dtype, width)};
  let ${variance} = ${load("runningVariance", c, runningVariance.dtype, width)};
  let ${scale} = ${load("gamma", c, gamma.dtype, width)} / sqrt(${variance} + u.epsilon);
  let ${shift} = ${load("beta", c, beta.dtype, width)};`,
  });
  return { name: apply.name, kernels: [apply], workspace: [] };
}

const CHANNEL_VALUES = ["mean", "variance", "scale", "shift"] as const;

/** Returns the kernel that computes y from the channel's `mean`, `scale` and `shift`, which `before` declares. */
function applyKernel(
  family: string,
  { shape, traits, buffers, activation }: BatchNormKernelOptions,
  channel: Pick<RowsKernelOptions<(typeof CHANNEL_VALUES)[number]>, "buffers" | "before" | "uniforms">,
): KernelSpec {
  const { x, y, residual } = buffers;
  const steps = `${residual === null ? "" : ".add"}${activation === "relu" ? ".relu" : ""}`;
  const reads: Record<string, FloatBuffer> = residual === null ? { x } : { x, residual };
  const value: RowsText<(typeof CHANNEL_VALUES)[number]> = ({ mean, scale, shift }) => {
    const sum = `(x - ${mean}) * ${scale} + ${shift}${residual === null ? "" : " + residual"}`;
    return activation === "relu" ? `max(${sum}, V(0.0))` : sum;
  };
  return rowsKernel({
    name: `${family}${steps}.${variantName({ ...reads, y }, placeWidth(shape))}`,
    shape,
    traits,
    walk: writingWalk(shape, traits),
    reads,
    writes: { y: { ...y, value } },
    buffers: channel.buffers,
    uniforms: channel.uniforms ?? {},
    variables: CHANNEL_VALUES,
    before: channel.before,
    each: () => "",
  });
}
