/**
 * Operators that join tensors, and take them apart.
 *
 * @module
 */
import { cast } from "../../../ops/cast.ts";
import { concat, split } from "../../../ops/concat.ts";
import { expand } from "../../../ops/sum.ts";
import { broadcastShape } from "../../../ops/sum.ts";
import { reshape } from "../../../ops/reshape.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape } from "../../core/shape.ts";
import type { Application } from "../application.ts";
import { broadcastStrides, joined, limited, moved, strided, stridesOf } from "../host.ts";
import type { Operator } from "../operator.ts";
import type { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

const join: Operator = {
  type: "Concat",
  build(node) {
    const axis = axisOf(node.attributes.integer("axis", 1), node.shape(0));
    // Nothing is joined to the rest where a cache is empty
    const places = [...node.inputs.keys()].filter((i) => !node.shape(i).includes(0));
    const tensors = places.map((i) => node.tensor(i));
    const isMixed = tensors.some(({ dtype }) => dtype !== tensors[0]!.dtype);
    const alike = isMixed ? tensors.map((x) => x.dtype === "i32" ? cast(x, "f32") : x) : tensors;
    return alike.length === 1 ? alike[0]! : concat(alike, axis);
  },
  fold(node) {
    const constants = node.inputs.map((_, i) => {
      node.value(i);
      return node.constant(i, "an input")!;
    });
    return joined(constants, axisOf(node.attributes.integer("axis", 1), node.shape(0)));
  },
};

const parts: Operator = {
  type: "Split",
  build(node) {
    const { axis, sizes } = partsOf(node);
    return split(node.tensor(0), sizes, axis);
  },
  fold(node): readonly Constant[] {
    const { axis, sizes } = partsOf(node);
    const x = node.constant(0, "the tensor")!;
    const strides = stridesOf(x.shape);
    let start = 0;
    return sizes.map((size) => {
      const first = start;
      start += size;
      return strided(x, x.shape.with(axis, size), strides, first * strides[axis]!);
    });
  },
};

function partsOf(node: Application): { axis: number; sizes: readonly number[] } {
  const { attributes } = node;
  const shape = node.shape(0);
  const axis = axisOf(attributes.integer("axis", 0), shape);
  const size = shape[axis]!;
  const given = node.listOf("split", 1);
  const count = attributes.integer("num_outputs", node.node.outputs.length);
  if (given !== null) {
    if (given.reduce((sum, n) => sum + n, 0) === size) return { axis, sizes: given };
    throw new InputError(`cannot split dimension ${axis} of ${formatShape(shape)} into parts of ${formatShape(given)}`);
  }
  if (count < 1) throw new InputError(`${count} parts; expected at least 1`);
  const each = Math.ceil(size / count);
  const last = size - each * (count - 1);
  if (last < 1) throw new InputError(`cannot split dimension ${axis} of ${formatShape(shape)} into ${count} parts`);
  return { axis, sizes: Array.from({ length: limited(count) }, (_, i) => i === count - 1 ? last : each) };
}

/** Broadcasts to a shape, in both directions. */
const broadcast: Operator = {
  type: "Expand",
  build(node) {
    const shape = broadcastTarget(node);
    return expand(node.tensor(0), shape);
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    return expanded(x, broadcastTarget(node));
  },
};

function broadcastTarget(node: Application): Shape {
  const given = node.list(1, "the shape")!;
  const { batch } = node.surroundings;
  const from = node.shape(0);
  const isBatch = batch !== null && given[0] === batch.written && from[0] === batch.actual &&
    from.length === given.length;
  return broadcastShape("Expand", [from, isBatch ? [batch.actual, ...given.slice(1)] : given]);
}

/** Returns a constant broadcast to a shape. */
export function expanded(x: Constant, shape: Shape): Constant {
  return strided(x, shape, broadcastStrides(x.shape, shape));
}

/** Repeats a tensor along each dimension. */
const tile: Operator = {
  type: "Tile",
  build(node) {
    const x = node.tensor(0);
    const repeats = repeatsOf(node);
    const pairs = x.shape.flatMap((n) => [1, n]);
    const repeated = x.shape.flatMap((n, d) => [repeats[d]!, n]);
    const shape = x.shape.map((n, d) => n * repeats[d]!);
    return repeats.every((n) => n === 1) ? x : reshape(expand(reshape(x, pairs), repeated), shape);
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    const repeats = repeatsOf(node);
    const shape = x.shape.map((n, d) => n * repeats[d]!);
    return moved(x, shape, (index) => index.map((i, d) => i % x.shape[d]!));
  },
};

/** Numbers of repetitions; before version 6, one number and an axis. */
function repeatsOf(node: Application): number[] {
  const shape = node.shape(0);
  const given = node.list(1, "the numbers of repetitions")!;
  if (node.opset >= 6) {
    if (given.length === shape.length) return given;
    throw new InputError(`repeats is ${formatShape(given)} for ${formatShape(shape)}; expected a number per dimension`);
  }
  const axis = axisOf(node.number(2, "the axis")!, shape);
  return shape.map((_, d) => d === axis ? given[0]! : 1);
}

export const JOINING: readonly Operator[] = [broadcast, join, parts, tile];
