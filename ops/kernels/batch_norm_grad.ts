/**
 * Backward pass of batch normalisation. Let x^ = (x - mean) inverse, and d = dy, masked by y > 0 if a ReLU follows.
 * With means over the batch's rows:
 *
 *     dbeta = sum d          dgamma = sum d x^
 *     dx = gamma inverse (d - mean(d) - x^ mean(d x^))          dresidual = d
 *
 * @module
 */
import type { KernelOptions, KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, load, store } from "./access.ts";
import { type ChannelRows, partialWalk, placeWidth, writingWalk } from "./channel_rows.ts";
import { mergeKernel, rowsKernel, type RowsKernelOptions } from "./rows_kernel.ts";
import { declare, variantName } from "./tensors.ts";

export interface BatchNormGradBuffers {
  readonly dy: FloatBuffer;
  /** Added to dy. */
  readonly second: FloatBuffer | null;
  readonly x: FloatBuffer;
  readonly gamma: FloatBuffer;
  /** f32 `[2, channels]`: mean, inverse standard deviation. */
  readonly saved: FloatBuffer;
  /** If a ReLU follows: y, or beta, from which the kernel recomputes the sign of y. */
  readonly y: FloatBuffer | null;
  readonly beta: FloatBuffer | null;
  readonly dx: FloatBuffer;
  readonly dgamma: FloatBuffer;
  readonly dbeta: FloatBuffer;
  /** Buffer for d, or null if d is not an output. */
  readonly dresidual: FloatBuffer | null;
}

export function batchNormGrad(
  { shape, traits, buffers }: {
    readonly shape: ChannelRows;
    readonly traits: DeviceTraits;
    readonly buffers: BatchNormGradBuffers;
  },
): KernelPlan {
  const { dy, second, x, gamma, saved, y, beta, dx, dgamma, dbeta, dresidual } = buffers;
  const { width } = shape;
  const walk = partialWalk(shape, traits);
  const vector = elementType("f32", width);
  const bytes = walk.lanes * shape.channels * 8;
  const at = (name: string, { dtype }: FloatBuffer, index: string) => load(name, index, dtype, width);
  const reads = { dy, ...(second === null ? {} : { second }), x, ...(y === null ? {} : { y }) };
  const arriving = second === null ? "dy" : "dy + second";
  // Tests y > 0 by its bits, as in relu.ts
  const integers = width === 4 ? "vec4<i32>" : "i32";
  const d = ({ mean, scale, shift }: Record<"mean" | "scale" | "shift", string>) => {
    const positive = y !== null
      ? `bitcast<${integers}>(y) > ${integers}(0)`
      : beta !== null
      ? `(x - ${mean}) * ${scale} + ${shift} > V(0.0)` // as the forward kernel computes y
      : null;
    return positive === null ? arriving : `select(V(0.0), ${arriving}, ${positive})`;
  };
  const relu = `${second === null ? "" : ".of_two"}${y !== null ? ".relu" : beta !== null ? ".relu_of_x" : ""}`;
  const letShift = (shift: string, c: string) => beta === null ? "" : `\n  let ${shift} = ${at("beta", beta, c)};`;
  const letScale = (scale: string, c: string) =>
    beta === null ? "" : `
  let ${scale} = ${at("gamma", gamma, c)} * ${at("saved", saved, `u.groups + ${c}`)};`;
  const ofBeta: KernelOptions["buffers"] = beta === null ? {} : { beta: declare(beta, width) };
  // If d is an output, a GPU writes it in the first pass and reads it in the second instead of dy and y
  const kept = traits.class === "cpu" ? null : dresidual;
  const sums = rowsKernel({
    name: `batch_norm_grad.sums${relu}${kept === null ? "" : ".add"}.${variantName(reads, placeWidth(shape))}`,
    shape,
    traits,
    walk,
    reads,
    writes: kept === null ? {} : { kept: { ...kept, value: () => "d" } },
    buffers: {
      saved: declare(saved, width),
      ...(beta === null ? {} : { gamma: declare(gamma, width) }),
      ...ofBeta,
      parts: { ref: { workspace: 0 }, type: vector },
    },
    variables: ["mean", "scale", "shift", "sum", "products"],
    before: ({ c, mean, scale, shift, sum, products }) =>
      `let ${mean} = ${at("saved", saved, c)};${letScale(scale, c)}${letShift(shift, c)}
  var ${sum} = V(0.0);
  var ${products} = V(0.0);`,
    each: (names) =>
      `let d = ${d(names)};
    ${names.sum} += d;
    ${names.products} += d * (x - ${names.mean});`,
    sums: ["sum", "products"],
    after: ({ index, sum, products }) =>
      `parts[${index} * 2u] = ${sum};
  parts[${index} * 2u + 1u] = ${products};`,
  });
  const merge = mergeKernel({
    name: `batch_norm_grad.merge.${variantName({ gamma, dgamma, dbeta }, width)}`,
    shape,
    traits,
    walk,
    buffers: {
      parts: { ref: { workspace: 0 }, type: vector, access: "read" },
      saved: declare(saved, width),
      gamma: declare(gamma, width),
      dgamma: declare(dgamma, width),
      dbeta: declare(dbeta, width),
      channel: { ref: { workspace: 1 }, type: vector },
    },
    body: ({ lanes, add, once }) =>
      `var sum = V(0.0);
  var products = V(0.0);
  ${lanes} {
    sum += parts[(lane * u.groups + c) * 2u];
    products += parts[(lane * u.groups + c) * 2u + 1u];
  }${add("sum", "products")}
  ${
        once(`let inverse = ${at("saved", saved, "u.groups + c")};
  ${store("dbeta", "c", "sum", dbeta, width)}
  ${store("dgamma", "c", "products * inverse", dgamma, width)}
  channel[c] = ${at("saved", saved, "c")};
  channel[u.groups + c] = ${at("gamma", gamma, "c")} * inverse;
  channel[2u * u.groups + c] = sum / f32(u.rows);
  channel[3u * u.groups + c] = products * inverse * inverse / f32(u.rows);`)
      }`,
  });
  const variables = ["mean", "scale", "shift", "meanOfD", "slope"] as const;
  const writes: RowsKernelOptions<(typeof variables)[number]>["writes"] = {
    dx: {
      ...dx,
      value: ({ mean, scale, meanOfD, slope }) => `${scale} * (d - ${meanOfD} - (x - ${mean}) * ${slope})`,
    },
    ...(dresidual === null || kept !== null ? {} : { dresidual: { ...dresidual, value: () => "d" } }),
  };
  const apply = rowsKernel({
    name: kept === null
      ? `batch_norm_grad.apply${relu}${dresidual === null ? "" : ".add"}.${
        variantName({ ...reads, ...writes }, placeWidth(shape))
      }`
      : `batch_norm_grad.apply.${variantName({ kept, x, dx }, placeWidth(shape))}`,
    shape,
    traits,
    walk: writingWalk(shape, traits),
    reads: kept === null ? reads : { d: kept, x },
    writes,
    buffers: { channel: { ref: { workspace: 1 }, type: vector, access: "read" }, ...ofBeta },
    variables,
    before: ({ c, mean, scale, shift, meanOfD, slope }) =>
      `let ${mean} = channel[${c}];
  let ${scale} = channel[u.groups + ${c}];${letShift(shift, c)}
  let ${meanOfD} = channel[2u * u.groups + ${c}];
  let ${slope} = channel[3u * u.groups + ${c}];`,
    each: kept === null ? (names) => `let d = ${d(names)};` : () => "",
  });
  return {
    name: `batch_norm_grad.${variantName({ dy, x }, placeWidth(shape))}`,
    kernels: [sums, merge, apply],
    workspace: [bytes, shape.channels * 16],
  };
}
