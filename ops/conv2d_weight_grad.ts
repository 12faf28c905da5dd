/**
 * Gradient of a convolution to its weights:
 *
 *     dW[o, c, ky, kx] = sum over n, i, j of dy[n, o, i, j] x[n, group(o) C + c, i stride - padding + ky dilation, ...]
 *
 * @module
 */
import type { KernelPlan, KernelSpec } from "../runtime/device/kernel.ts";
import type { DeviceTraits } from "../runtime/device/traits.ts";
import type { KernelContext, OpDef } from "../runtime/graph/op.ts";
import type { Tensor } from "../runtime/graph/tensor.ts";
import { inPlanes, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf, floatBuffer } from "./buffers.ts";
import { type ConvAttrs, convFlops, type ConvGeometry, convGeometry, linesOf } from "./conv_geometry.ts";
import {
  convWeightGrad,
  type ConvWeightGradOptions,
  sharesTap,
  type WeightGradTile,
  weightGradTiles,
} from "./kernels/conv_weight_grad.ts";
import { isPointwise, pointwiseWeightGradPlans } from "./kernels/conv_pointwise.ts";
import {
  convWeightGradQuads,
  QUADS,
  weightGradQuadsFit,
  weightGradQuadsTiles,
} from "./kernels/conv_weight_grad_quads.ts";
import { convWeightGradSimd, weightGradSimdFits, weightGradSimdTiles } from "./kernels/conv_weight_grad_simd.ts";
import { convWeightGradTiled } from "./kernels/conv_weight_grad_tiled.ts";
import { depthwiseSplits, depthwiseWeightGrad, isDepthwise } from "./kernels/depthwise.ts";
import type { SimdTile } from "./kernels/matmul_simd.ts";
import { partialBytes, reducePartials } from "./kernels/reduce_partials.ts";
import { hasSimd } from "./kernels/simd.ts";
import { tileExtent } from "./kernels/tiled_product.ts";

export interface ConvWeightGradAttrs extends ConvAttrs {
  /** Type of the forward op's weight. */
  readonly weight: TensorType;
}

/** Inputs: x `[n, c, h, w]`, dy `[n, out, oh, ow]`. Output: `[out, c / groups, kh, kw]`, of the weight's type. */
export const conv2dWeightGradOp: OpDef<ConvWeightGradAttrs> = {
  type: "conv2d_weight_grad",
  dtypeRule: "compute",
  shape: (_inputs, attrs) => [attrs.weight],
  cost: ([x, dy], [dw], attrs) => ({
    flops: convFlops(convGeometry(x!.shape, attrs.weight.shape, attrs)),
    bytes: bytesOf(x!, dy!, dw!),
  }),
  candidates(context) {
    const geometry = convGeometry(context.inputs[0]!.shape, context.attrs.weight.shape, context.attrs);
    const planes = inPlanes(context.inputs[0]!);
    const plans = (planes ? rowTiles(geometry, context.traits) : tiles(geometry, context.traits)).map((tile) =>
      registerPlan(context, geometry, tile)
    );
    if (planes) return plans;
    const taps = geometry.kernelSize[0] * geometry.kernelSize[1];
    if (hasSimd(context.traits) && weightGradSimdFits(geometry)) {
      const simd = simdPlan(context, geometry, {
        rows: geometry.outputChannels > 32 ? 32 : 64,
        vectors: geometry.outputChannels > 32 ? 2 : 1,
      });
      // A tile is 32 channels wide; with one tap, there is no tile of rows to share.
      if (geometry.outputChannels > 16 && taps > 1) plans.unshift(simd);
      else plans.push(simd);
    }
    if (hasSimd(context.traits) && weightGradQuadsFit(geometry, context.traits)) {
      const quads = quadsPlan(context, geometry);
      // A stride leaves less to share, and does not pay for another long compilation.
      if (geometry.stride[1] === 1) plans.unshift(quads);
      else plans.push(quads);
    }
    if (context.traits.class === "gpu" && context.traits.maxInvocations >= 256) {
      const tiled = tiledPlan(context, geometry);
      // A tile is 64 channels wide.
      if (geometry.outputChannels > 32) plans.unshift(tiled);
      else plans.push(tiled);
    }
    if (isPointwise(geometry)) return [...pointwisePlans(context, geometry), ...plans];
    return isDepthwise(geometry) ? [depthwisePlan(context, geometry), ...plans] : plans;
  },
};

/** Adds the gradient of `conv2d(x, weight)` to the weight, whose type is `attrs.weight`. */
export function conv2dWeightGrad(x: Tensor, dy: Tensor, attrs: ConvWeightGradAttrs): Tensor {
  return x.graph.apply(conv2dWeightGradOp, attrs, [x, dy], "weight_grad")[0]!;
}

function tiles(geometry: ConvGeometry, traits: DeviceTraits): WeightGradTile[] {
  return rowTiles(geometry, traits).flatMap((rows): WeightGradTile[] =>
    sharesTap(geometry, rows.rows) ? [{ ...rows, access: "channels" }, rows] : [rows]
  );
}

/** Tiles that read x number by number, as planes ask for. */
function rowTiles(geometry: ConvGeometry, traits: DeviceTraits): WeightGradTile[] {
  const vectors = geometry.outputChannels > 8 ? 4 : geometry.outputChannels > 4 ? 2 : 1;
  return traits.class === "gpu"
    ? [{ lanes: 32, rows: 4, vectors: Math.min(vectors, 2), access: "rows" }]
    : [{ lanes: 8, rows: 16, vectors, access: "rows" }];
}

/**
 * Shares of the sum: enough to give the device `wanted` workgroups, but no more than `most`, and no more than keep the
 * partial sums small. A function of the shape alone.
 */
function shares(geometry: ConvGeometry, traits: DeviceTraits, tiles: number, wanted: number, most: number): number {
  const room = Math.floor(Math.min(traits.maxStorageBindingBytes, 1 << 26) / partialBytes(reduction(geometry, 1)));
  return Math.max(1, Math.min(Math.ceil(wanted / tiles), most, room));
}

function registerPlan(
  context: KernelContext<ConvWeightGradAttrs>,
  geometry: ConvGeometry,
  tile: WeightGradTile,
): KernelPlan {
  const [rowTiles, columnTiles] = weightGradTiles(geometry, tile);
  const workgroups = rowTiles * columnTiles * geometry.groups;
  const most = Math.min(linesOf(geometry), 16 * tile.lanes);
  const splits = shares(geometry, context.traits, workgroups, 128 * tile.lanes, most);
  return splitPlan(context, geometry, splits, (options) => convWeightGrad({ ...options, tile }));
}

function simdPlan(
  context: KernelContext<ConvWeightGradAttrs>,
  geometry: ConvGeometry,
  tile: SimdTile,
): KernelPlan {
  const splits = shares(geometry, context.traits, weightGradSimdTiles(geometry, tile), 64, linesOf(geometry));
  return splitPlan(context, geometry, splits, (options) => convWeightGradSimd({ ...options, tile }));
}

function quadsPlan(context: KernelContext<ConvWeightGradAttrs>, geometry: ConvGeometry): KernelPlan {
  const most = Math.ceil(linesOf(geometry) / QUADS);
  const workgroups = shares(geometry, context.traits, weightGradQuadsTiles(geometry), 32, most);
  return splitPlan(context, geometry, QUADS * workgroups, convWeightGradQuads);
}

function tiledPlan(context: KernelContext<ConvWeightGradAttrs>, geometry: ConvGeometry): KernelPlan {
  const rows = geometry.kernelSize[0] * geometry.kernelSize[1] * geometry.inputChannels;
  const tiles = Math.ceil(rows / tileExtent(1)) * Math.ceil(geometry.outputChannels / tileExtent(1)) * geometry.groups;
  const pixels = linesOf(geometry) * geometry.outputSize[1];
  const splits = shares(geometry, context.traits, tiles, 512, Math.min(Math.ceil(pixels / 128), 128));
  return splitPlan(context, geometry, splits, convWeightGradTiled);
}

function pointwisePlans(
  { inputs: [x, dy], outputs: [dw], traits }: KernelContext<ConvWeightGradAttrs>,
  geometry: ConvGeometry,
): KernelPlan[] {
  return pointwiseWeightGradPlans({
    x: floatBuffer({ input: 0 }, x!),
    dy: floatBuffer({ input: 1 }, dy!),
    target: floatBuffer({ output: 0 }, dw!),
    geometry,
    traits,
  });
}

function depthwisePlan(
  { inputs: [x, dy], outputs: [dw], traits }: KernelContext<ConvWeightGradAttrs>,
  geometry: ConvGeometry,
): KernelPlan {
  const partial = { workspace: 0 };
  const rows = geometry.kernelSize[0] * geometry.kernelSize[1];
  const columns = geometry.groups * geometry.outputChannels;
  const shape = { splits: depthwiseSplits(geometry), rows, groups: 1, columns };
  const buffers = { x: floatBuffer({ input: 0 }, x!), dy: floatBuffer({ input: 1 }, dy!) };
  const kernel = depthwiseWeightGrad({ ...buffers, partial, geometry, traits });
  const target = floatBuffer({ output: 0 }, dw!);
  return {
    name: kernel.name,
    kernels: [kernel, reducePartials({ ...shape, partial, target, traits })],
    workspace: [partialBytes(shape)],
  };
}

function reduction(geometry: ConvGeometry, splits: number) {
  return {
    splits,
    rows: geometry.kernelSize[0] * geometry.kernelSize[1] * geometry.inputChannels,
    groups: geometry.groups,
    columns: geometry.outputChannels,
  };
}

function splitPlan(
  { inputs: [x, dy], outputs: [dw], traits }: KernelContext<ConvWeightGradAttrs>,
  geometry: ConvGeometry,
  splits: number,
  kernelOf: (options: Omit<ConvWeightGradOptions, "tile">) => KernelSpec,
): KernelPlan {
  const partial = { workspace: 0 };
  const kernel = kernelOf({
    name: "conv2d.weight_grad",
    x: floatBuffer({ input: 0 }, x!),
    dy: floatBuffer({ input: 1 }, dy!),
    partial,
    geometry,
    splits,
    planes: inPlanes(x!),
  });
  const shape = reduction(geometry, splits);
  const target = floatBuffer({ output: 0 }, dw!);
  return {
    name: kernel.name,
    kernels: [kernel, reducePartials({ ...shape, partial, target, traits })],
    workspace: [partialBytes(shape)],
  };
}
