/**
 * Batch normalisation, backward. With d = dy where y > 0 behind a relu and d = dy otherwise, x^ = (x - mean) inverse and
 * means over the batch's rows:
 *
 *     dbeta = sum d          dgamma = sum d x^
 *     dx = gamma inverse (d - mean(d) - x^ mean(d x^))          dresidual = d
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, load, store } from "./access.ts";
import { type ChannelRows, mergeKernel, partialWalk, rowsKernel, writingWalk } from "./channel_rows.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { declare, variantName } from "./tensors.ts";

export interface BatchNormGradBuffers {
  readonly dy: FloatBuffer;
  readonly x: FloatBuffer;
  readonly gamma: FloatBuffer;
  /** f32 `[2, channels]`: mean, inverse standard deviation. */
  readonly saved: FloatBuffer;
  /** Behind a relu. */
  readonly y: FloatBuffer | null;
  readonly dx: FloatBuffer;
  readonly dgamma: FloatBuffer;
  readonly dbeta: FloatBuffer;
  /** Where d is wanted by itself. */
  readonly dresidual: FloatBuffer | null;
}

export function batchNormGrad(
  { shape, traits, buffers }: {
    readonly shape: ChannelRows;
    readonly traits: DeviceTraits;
    readonly buffers: BatchNormGradBuffers;
  },
): KernelPlan {
  const { dy, x, gamma, saved, y, dx, dgamma, dbeta, dresidual } = buffers;
  const { width } = shape;
  const walk = partialWalk(shape, traits);
  const vector = elementType("f32", width);
  const at = (name: string, { dtype }: FloatBuffer, index = "i") => load(name, index, dtype, width);
  const read = { dy, x, ...(y === null ? {} : { y }) };
  const declared = Object.fromEntries(Object.entries(read).map(([key, buffer]) => [key, declare(buffer, width)]));
  const d = y === null ? at("dy", dy) : `select(V(0.0), ${at("dy", dy)}, ${at("y", y)} > V(0.0))`;
  const relu = y === null ? "" : ".relu";
  const sums = rowsKernel({
    name: `batch_norm_grad.sums${relu}.${variantName(read, width)}`,
    shape,
    traits,
    walk,
    buffers: {
      ...declared,
      saved: declare(saved, width),
      parts: { ref: { workspace: 0 }, type: vector },
    },
    before: `let mean = ${at("saved", saved, "c")};
  var sum = V(0.0);
  var products = V(0.0);`,
    each: `let d = ${d};
    sum += d;
    products += d * (${at("x", x)} - mean);`,
    after: `parts[index * 2u] = sum;
  parts[index * 2u + 1u] = products;`,
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
    body: `var sum = V(0.0);
  var products = V(0.0);
  for (var lane = 0u; lane < u.lanes; lane++) {
    sum += parts[(lane * u.groups + c) * 2u];
    products += parts[(lane * u.groups + c) * 2u + 1u];
  }
  let inverse = ${at("saved", saved, "u.groups + c")};
  ${store("dbeta", "c", "sum", dbeta.dtype, width)}
  ${store("dgamma", "c", "products * inverse", dgamma.dtype, width)}
  channel[c] = ${at("saved", saved, "c")};
  channel[u.groups + c] = ${at("gamma", gamma, "c")} * inverse;
  channel[2u * u.groups + c] = sum / f32(u.rows);
  channel[3u * u.groups + c] = products * inverse * inverse / f32(u.rows);`,
  });
  const written = { dx, ...(dresidual === null ? {} : { dresidual }) };
  const apply = rowsKernel({
    name: `batch_norm_grad.apply${relu}${dresidual === null ? "" : ".add"}.${
      variantName({ ...read, ...written }, width)
    }`,
    shape,
    traits,
    walk: writingWalk(shape, traits),
    buffers: {
      ...declared,
      channel: { ref: { workspace: 1 }, type: vector, access: "read" },
      ...Object.fromEntries(Object.entries(written).map(([key, buffer]) => [key, declare(buffer, width)])),
    },
    before: `let mean = channel[c];
  let scale = channel[u.groups + c];
  let meanOfD = channel[2u * u.groups + c];
  let slope = channel[3u * u.groups + c];`,
    each: `let d = ${d};
    ${store("dx", "i", `scale * (d - meanOfD - (${at("x", x)} - mean) * slope)`, dx.dtype, width)}
    ${dresidual === null ? "" : store("dresidual", "i", "d", dresidual.dtype, width)}`,
  });
  return {
    name: `batch_norm_grad.${variantName({ dy, x }, width)}`,
    kernels: [sums, merge, apply],
    workspace: [walk.lanes * shape.channels * 8, shape.channels * 16],
  };
}
