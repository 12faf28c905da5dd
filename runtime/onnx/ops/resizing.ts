/**
 * Images in another size.
 *
 * @module
 */

import { take } from "../../../ops/gather.ts";
import { matmul } from "../../../ops/matmul.ts";
import { reshape } from "../../../ops/reshape.ts";
import { transpose } from "../../../ops/transpose.ts";
import { upsample } from "../../../ops/upsample.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import { tableEntry } from "../../core/table_entry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { limited } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Sizes of a dimension, and the factor between them as the file gives it. */
interface Sizes {
  readonly scale: number;
  readonly from: number;
  readonly to: number;
}

/** A quotient as f32, so that one by a scale of f32 is whole where it should be: 1.5 / 0.6 is 2.5. */
const over = (a: number, b: number) => Math.fround(a / b);

/** Place in the source of an element of the result, by `coordinate_transformation_mode`. */
const PLACES: Readonly<Record<string, (i: number, sizes: Sizes) => number>> = {
  half_pixel: (i, { scale }) => over(i + 0.5, scale) - 0.5,
  half_pixel_symmetric: (i, { scale, from, to }) => {
    const adjusted = to / (scale * from);
    return from / 2 * (1 - adjusted) + over(i + 0.5, scale) - 0.5;
  },
  pytorch_half_pixel: (i, { scale, to }) => to > 1 ? over(i + 0.5, scale) - 0.5 : 0,
  tf_half_pixel_for_nn: (i, { scale }) => over(i + 0.5, scale),
  align_corners: (i, { from, to }) => to === 1 ? 0 : over(i * (from - 1), to - 1),
  asymmetric: (i, { scale }) => over(i, scale),
};

/** Nearest element, by `nearest_mode`. */
const ROUNDINGS: Readonly<Record<string, (place: number) => number>> = {
  round_prefer_floor: (place) => Math.ceil(place - 0.5),
  round_prefer_ceil: (place) => Math.floor(place + 0.5),
  floor: Math.floor,
  ceil: Math.ceil,
};

/** Weights of the elements around a place: `reach` of them on each side, by their distance. */
interface Filter {
  readonly reach: number;
  readonly weight: (distance: number) => number;
}

const LINEAR: Filter = { reach: 1, weight: (distance) => 1 - distance };

/** Cubic convolution (R. Keys, 1981) with the coefficient `a`. */
function cubic(a: number): Filter {
  return {
    reach: 2,
    weight: (x) => x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0,
  };
}

/**
 * Returns the weights of all `size` elements at a place. Elements beyond the ends are those at the ends, or with
 * `excludes` have no weight.
 */
function tapsOf(place: number, size: number, { reach, weight }: Filter, excludes: boolean): number[] {
  const row = new Array<number>(size).fill(0);
  const first = Math.floor(place) - reach + 1;
  for (let i = first; i < first + 2 * reach; i++) {
    const isInside = i >= 0 && i < size;
    if (excludes && !isInside) continue;
    row[Math.min(size - 1, Math.max(0, i))]! += weight(Math.abs(place - i));
  }
  const total = row.reduce((sum, each) => sum + each, 0);
  return excludes ? row.map((each) => each / total) : row;
}

/** Sizes, scales and rules of a resize. */
interface Request {
  readonly sizes: Shape;
  readonly scales: readonly number[];
  readonly mode: string;
  /** Name of the rule for the place in the source. */
  readonly places: string;
}

const resize: Operator = {
  type: "Resize",
  build: (node) => resized(node, requestOf(node)),
};

/** The operator before Resize. Its places are those of the corners. */
const enlarge: Operator = {
  type: "Upsample",
  build(node) {
    const { attributes } = node;
    const scales = attributes.floats("scales") ?? node.list(1, "the scales");
    if (scales === null) throw new InputError("expected scales");
    const sizes = node.shape(0).map((n, d) => scaled(n, scales[d]!));
    const mode = attributes.string("mode", "nearest");
    return resized(node, { sizes, scales, mode, places: "asymmetric" });
  },
};

/** Values of `keep_aspect_ratio_policy`. */
const POLICIES: readonly string[] = ["stretch", "not_larger", "not_smaller"];

function requestOf(node: Application): Request {
  const { attributes } = node;
  attributes.only(0, "antialias");
  if (node.opset >= 11) node.ignoreInput("it is a crop, which is refused", 1);
  const mode = attributes.string("mode", "nearest");
  const shape = node.shape(0);
  const axes = attributes.integers("axes")?.map((axis) => axisOf(axis, shape)) ?? shape.map((_, d) => d);
  // Before version 11, the scales are the second input, and places those of the corners
  const early = node.opset < 11;
  const scalesGiven = nonEmpty(node.list(early ? 1 : 2, "the scales"));
  const sizesGiven = early ? null : nonEmpty(node.list(3, "the sizes"));
  const places = attributes.string("coordinate_transformation_mode", early ? "asymmetric" : "half_pixel");
  const scales: number[] = shape.map(() => 1);
  const sizes: number[] = [...shape];
  const policy = attributes.string("keep_aspect_ratio_policy", "stretch");
  if (!POLICIES.includes(policy)) {
    throw new InputError(`keep_aspect_ratio_policy is "${policy}"; expected ${POLICIES.join(", ")}`);
  }
  if (scalesGiven !== null) {
    axes.forEach((axis, i) => {
      scales[axis] = scalesGiven[i]!;
      sizes[axis] = scaled(shape[axis]!, scalesGiven[i]!);
    });
  } else if (sizesGiven !== null) {
    const factors = axes.map((axis, i) => sizesGiven[i]! / shape[axis]!);
    const common = policy === "not_larger" ? Math.min(...factors) : Math.max(...factors);
    axes.forEach((axis, i) => {
      sizes[axis] = policy === "stretch" ? sizesGiven[i]! : Math.round(common * shape[axis]!);
      scales[axis] = policy === "stretch" ? factors[i]! : common;
    });
  } else throw new InputError("expected scales or sizes");
  if (sizes.some((n) => n < 1)) throw new InputError(`the result has the shape ${formatShape(sizes)}`);
  return { sizes, scales, mode, places };
}

/** Returns a size times a factor. The product is one of floats, as in other runtimes: 10 times the float 0.7 is 7. */
function scaled(size: number, factor: number): number {
  return Math.floor(Math.fround(size * factor));
}

function nonEmpty(list: number[] | null): number[] | null {
  return list === null || list.length === 0 ? null : list;
}

function resized(node: Application, request: Request): Tensor {
  const { attributes } = node;
  attributes.ignore("it is the value beyond a crop, which is refused", "extrapolation_value");
  const { mode, sizes, scales } = request;
  const placeOf = tableEntry(PLACES, request.places);
  if (placeOf === undefined) {
    throw new InputError(
      `coordinate_transformation_mode is "${request.places}"; expected ${Object.keys(PLACES).join(", ")}`,
    );
  }
  const given = attributes.string("nearest_mode", "round_prefer_floor");
  // Before version 11, which has no attribute for it, onnxruntime rounds up where the result is smaller
  const roundings = scales.map((scale) => node.opset >= 11 ? given : scale < 1 ? "ceil" : "floor");
  const coefficient = attributes.float("cubic_coeff_a", -0.75);
  const excludes = attributes.integer("exclude_outside", 0) !== 0;
  const x = node.tensor(0);
  if (x.dtype === "i32" && mode !== "nearest") {
    throw new InputError(`mode is "${mode}" for integers; expected nearest, or floats`);
  }
  const native = x.dtype === "i32" ? null : natively(x, request, roundings);
  if (native !== null) return native;
  return sizes.reduce((y, size, axis) => {
    const from = x.shape[axis]!;
    if (size === from && scales[axis] === 1) return y;
    limited(mode === "nearest" ? size : size * from);
    const places = Array.from({ length: size }, (_, i) => placeOf(i, { scale: scales[axis]!, from, to: size }));
    if (mode === "nearest") {
      const round = tableEntry(ROUNDINGS, roundings[axis]!);
      if (round === undefined) {
        throw new InputError(`nearest_mode is "${given}"; expected ${Object.keys(ROUNDINGS).join(", ")}`);
      }
      const indices = places.map((place) => Math.min(from - 1, Math.max(0, round(place))));
      return take(y, node.toTensor(Constant.integers(indices), `places${axis}`), axis);
    }
    const filter = filterOf(mode, coefficient);
    const matrix = places.flatMap((place) => tapsOf(place, from, filter, excludes));
    return alongAxis(y, axis, node.toTensor(Constant.of("float", [size, from], matrix), `weights${axis}`));
  }, x);
}

function filterOf(mode: string, coefficient: number): Filter {
  if (mode === "linear" || mode === "bilinear") return LINEAR;
  if (mode === "cubic") return cubic(coefficient);
  throw new InputError(`mode is "${mode}"; expected nearest, linear or cubic`);
}

/** Multiplies a matrix `[out, in]` with a tensor along an axis. */
function alongAxis(x: Tensor, axis: number, matrix: Tensor): Tensor {
  const { shape } = x;
  const rows = reshape(x, [sizeOf(shape.slice(0, axis)), shape[axis]!, sizeOf(shape.slice(axis + 1))]);
  return reshape(matmul(matrix, rows), shape.with(axis, matrix.shape[0]!));
}

/** Returns images that Tacho's own ops resample, or null. */
function natively(x: Tensor, { sizes, scales, mode, places }: Request, roundings: readonly string[]): Tensor | null {
  const { shape } = x;
  if (shape.length !== 4 || sizes[0] !== shape[0] || sizes[1] !== shape[1]) return null;
  const isExact = [2, 3].every((d) => shape[d]! * scales[d]! === sizes[d]);
  const [size, scaleFactor] = [[sizes[2]!, sizes[3]!], [scales[2]!, scales[3]!]] as const;
  if (mode === "nearest") {
    const isFloor = places === "asymmetric" && roundings.slice(2).every((rounding) => rounding === "floor");
    // The centres of the copies of a pixel are nearest to that pixel
    const isCentred = /^(pytorch_)?half_pixel$/.test(places) &&
      ["round_prefer_floor", "round_prefer_ceil"].includes(roundings[2]!) &&
      scaleFactor.every(Number.isInteger);
    return (isFloor || isCentred) && isExact ? upsample(x, { scaleFactor, mode: "nearest" }) : null;
  }
  if (mode !== "linear" && mode !== "bilinear") return null;
  const isMany = size.every((n) => n > 1);
  if (places === "align_corners" && isMany) return upsample(x, { size, mode: "bilinear", alignCorners: true });
  const isHalf = places === "half_pixel" || (places === "pytorch_half_pixel" && isMany);
  return isHalf && isExact ? upsample(x, { size, mode: "bilinear" }) : null;
}

/** Moves blocks of channels to pixels. */
const depthToSpace: Operator = {
  type: "DepthToSpace",
  build(node) {
    const { attributes } = node;
    const block = attributes.integer("blocksize", 1);
    const mode = attributes.string("mode", "DCR");
    const [n, c, h, w] = node.shape(0) as [number, number, number, number];
    const depth = c / block ** 2;
    if (!Number.isInteger(depth)) throw new InputError(`${c} channels are no multiple of ${block} x ${block}`);
    if (mode !== "DCR" && mode !== "CRD") throw new InputError(`mode is "${mode}"; expected DCR or CRD`);
    const x = node.tensor(0);
    const [shape, axes] = mode === "CRD"
      ? [[n, depth, block, block, h, w], [0, 1, 4, 2, 5, 3]]
      : [[n, block, block, depth, h, w], [0, 3, 4, 1, 5, 2]];
    return reshape(transpose(reshape(x, shape), axes), [n, depth, h * block, w * block]);
  },
};

/** Moves blocks of pixels to channels. */
const spaceToDepth: Operator = {
  type: "SpaceToDepth",
  build(node) {
    const block = node.attributes.integer("blocksize", 1);
    const [n, c, h, w] = node.shape(0) as [number, number, number, number];
    const [rows, columns] = [h / block, w / block];
    if (!Number.isInteger(rows) || !Number.isInteger(columns)) {
      throw new InputError(`images of ${h} x ${w} are no multiple of ${block} x ${block}`);
    }
    const blocks = reshape(node.tensor(0), [n, c, rows, block, columns, block]);
    return reshape(transpose(blocks, [0, 3, 5, 1, 2, 4]), [n, c * block ** 2, rows, columns]);
  },
};

export const RESIZING: readonly Operator[] = [depthToSpace, enlarge, resize, spaceToDepth];
