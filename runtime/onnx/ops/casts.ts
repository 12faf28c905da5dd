/**
 * Conversions of element types.
 *
 * @module
 */
import { cast } from "../../../ops/cast.ts";
import { notEqual } from "../../../ops/comparisons.ts";
import { clamp } from "../../../ops/choice.ts";
import { applyIntegers } from "../../../ops/integer_elementwise.ts";
import { tableEntry } from "../../core/table_entry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { type ElementType, elementType } from "../format/element_types.ts";
import { mapElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant, type Value } from "../value.ts";

/** Converts to a kind of elements. Floats of all widths are one kind: `amp` chooses the width. */
function converted(x: Tensor, { kind, name }: Pick<ElementType, "kind" | "name">): Tensor {
  switch (kind) {
    case "float":
      return x.dtype === "i32" ? cast(x, "f32") : x;
    case "integer":
      if (x.dtype === "i32") return wrapped(x, name);
      return cast(clamp(x, { low: -2147483648, high: 2147483520 }), "i32");
    case "boolean":
      return notEqual(x, 0);
  }
}

/** Bits of integers that are narrower than those of the device, and whether one is a sign. */
const NARROW: Readonly<Record<string, readonly [bits: number, isSigned: boolean]>> = {
  int8: [8, true],
  uint8: [8, false],
  int16: [16, true],
  uint16: [16, false],
};

/** Drops the high bits of integers that a narrower type does not have. */
function wrapped(x: Tensor, name: string): Tensor {
  const [bits, isSigned] = NARROW[name] ?? [32, true];
  if (bits === 32) return x;
  const shift = 32 - bits;
  const value = isSigned ? `(x << vec4<u32>(${shift}u)) >> vec4<u32>(${shift}u)` : `x & vec4<i32>(${2 ** bits - 1})`;
  return applyIntegers({ name: `to_${name}`, operands: ["x"], value, dtype: "i32" }, [x]);
}

function convertedConstant(x: Constant, { kind, name }: Pick<ElementType, "kind" | "name">): Constant {
  const [bits, isSigned] = NARROW[name] ?? (name === "int32" ? [32, true] : [64, true]);
  const narrow = (v: number) => {
    const low = Math.trunc(v) % 2 ** bits;
    const unsigned = low < 0 ? low + 2 ** bits : low;
    return isSigned && unsigned >= 2 ** (bits - 1) ? unsigned - 2 ** bits : unsigned;
  };
  const value = kind === "integer"
    ? x.kind === "float" || bits === 64 ? Math.trunc : narrow
    : kind === "boolean"
    ? (v: number) => v === 0 ? 0 : 1
    : (v: number) => v;
  const made = mapElements("Cast", [x], kind, value);
  return Constant.of(kind, made.shape, made.values, name);
}

function convert(node: Application, type: Pick<ElementType, "kind" | "name">): Value {
  node.attributes.ignore("it concerns floats of 8 bits, which are refused", "saturate", "round_mode");
  const x = node.value(0);
  return isConstant(x) && !x.trained ? convertedConstant(x, type) : converted(node.tensor(0), type);
}

/** Numbers of the element types before version 6, which named them. */
const NAMES: Readonly<Record<string, number>> = {
  FLOAT: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  BOOL: 9,
  FLOAT16: 10,
  DOUBLE: 11,
};

const toType: Operator = {
  type: "Cast",
  build(node) {
    const named = node.opset < 6 ? node.attributes.string("to", "") : "";
    const number = named === "" ? node.attributes.integer("to", 0) : tableEntry(NAMES, named) ?? 0;
    return convert(node, elementType(number, "the result"));
  },
};

const toTypeOf: Operator = {
  type: "CastLike",
  build(node) {
    const like = node.value(1);
    if (isConstant(like)) return convert(node, { kind: like.kind, name: like.type ?? "" });
    if (node.isBoolean(1)) return convert(node, { kind: "boolean", name: "bool" });
    return convert(
      node,
      like.dtype === "i32" ? { kind: "integer", name: "int32" } : { kind: "float", name: "float32" },
    );
  },
};

export const CASTS: readonly Operator[] = [toType, toTypeOf];
