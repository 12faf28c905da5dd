/**
 * Operators that read shapes or change them, and constants.
 *
 * @module
 */
import { reshape } from "../../../ops/reshape.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import type { Application } from "../application.ts";
import { limited, strided, stridesOf } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant, type Value } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Returns a value in another shape. */
export function reshaped(node: Application, shape: Shape): Value {
  const value = node.value(0);
  return isConstant(value) && !value.trained ? value.reshaped(shape) : reshape(node.tensor(0), shape);
}

const toShape: Operator = {
  type: "Reshape",
  build(node) {
    const given = node.listOf("shape", 1);
    if (given === null) throw new InputError("expected a shape");
    const keepsZero = node.attributes.integer("allowzero", 0) !== 0;
    const from = node.shape(0);
    const { batch } = node.surroundings;
    // A model that is exported for one batch size has it in its shapes
    const fixed = batch !== null && given[0] === batch.written && from[0] === batch.actual
      ? [batch.actual, ...given.slice(1)]
      : given;
    const sizes = fixed.map((size, i) => size === 0 && !keepsZero ? from[i] ?? 0 : size);
    const known = sizeOf(sizes.filter((size) => size !== -1));
    const shape = sizes.map((size) => size === -1 ? sizeOf(from) / known : size);
    if (sizeOf(shape) !== sizeOf(from) || !shape.every((size) => Number.isInteger(size) && size >= 0)) {
      throw new InputError(
        `cannot make ${formatShape(given)} from ${formatShape(from)}` +
          (batch === null ? "" : `; the file is for a batch of ${batch.written}, export it with a dynamic batch axis`),
      );
    }
    return reshaped(node, shape);
  },
};

const flatten: Operator = {
  type: "Flatten",
  build(node) {
    const shape = node.shape(0);
    const axis = node.attributes.integer("axis", 1);
    const at = axis === shape.length ? axis : axisOf(axis, shape);
    return reshaped(node, [sizeOf(shape.slice(0, at)), sizeOf(shape.slice(at))]);
  },
};

const squeeze: Operator = {
  type: "Squeeze",
  build(node) {
    const shape = node.shape(0);
    const axes = node.listOf("axes", 1)?.map((axis) => axisOf(axis, shape)) ??
      shape.flatMap((n, d) => n === 1 ? [d] : []);
    const wide = axes.find((axis) => shape[axis] !== 1);
    if (wide !== undefined) {
      throw new InputError(`dimension ${wide} of ${formatShape(shape)} has more than one element`);
    }
    return reshaped(node, shape.filter((_, d) => !axes.includes(d)));
  },
};

const unsqueeze: Operator = {
  type: "Unsqueeze",
  build(node) {
    const shape = node.shape(0);
    const given = node.listOf("axes", 1);
    if (given === null) throw new InputError("expected axes");
    const longer: number[] = new Array<number>(shape.length + given.length).fill(0);
    for (const axis of given) longer[axisOf(axis, longer)] = 1;
    if (longer.filter((n) => n === 1).length !== given.length) {
      throw new InputError(`axes are ${formatShape(given)}; expected each once`);
    }
    const sizes = shape.values();
    return reshaped(node, longer.map((n) => n === 1 ? 1 : sizes.next().value!));
  },
};

const shapeOf: Operator = {
  type: "Shape",
  build(node) {
    const shape = node.shape(0);
    const end = node.attributes.has("end") ? node.attributes.integer("end", 0) : shape.length;
    return Constant.integers(shape.slice(node.attributes.integer("start", 0), end));
  },
};

const permute: Operator = {
  type: "Transpose",
  build(node) {
    const axes = node.attributes.integers("perm");
    const value = node.value(0);
    const isSwap = value.shape.length === 2 && (axes === null || axes[0] === 1);
    if (isConstant(value) && value.trained && isSwap) return value.transpose();
    return transpose(node.tensor(0), axes ?? undefined);
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    const axes = node.attributes.integers("perm") ?? x.shape.map((_, d) => x.shape.length - 1 - d);
    if (axes.length !== x.shape.length || x.shape.some((_, d) => !axes.includes(d))) {
      throw new InputError(`perm is ${formatShape(axes)} for ${formatShape(x.shape)}; expected each dimension once`);
    }
    const strides = stridesOf(x.shape);
    return strided(x, axes.map((axis) => x.shape[axis]!), axes.map((axis) => strides[axis]!));
  },
};

const constant: Operator = {
  type: "Constant",
  build(node) {
    const { attributes } = node;
    const tensor = node.surroundings.elements(attributes, "value");
    if (tensor !== null) return tensor;
    if (attributes.has("value_float")) return Constant.of("float", [], [attributes.float("value_float", 0)]);
    if (attributes.has("value_int")) return Constant.of("integer", [], [attributes.integer("value_int", 0)]);
    const [floats, integers] = [attributes.floats("value_floats"), attributes.integers("value_ints")];
    limited((floats ?? integers ?? []).length);
    if (attributes.has("value_floats")) return Constant.of("float", [floats!.length], floats!);
    if (attributes.has("value_ints")) return Constant.of("integer", [integers!.length], integers!);
    throw new InputError("expected a constant of numbers");
  },
};

const identity: Operator = { type: "Identity", build: (node) => node.value(0) };

export const SHAPES: readonly Operator[] = [
  constant,
  flatten,
  identity,
  permute,
  shapeOf,
  squeeze,
  toShape,
  unsqueeze,
];
