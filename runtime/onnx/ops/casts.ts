/**
 * Conversions of element types.
 *
 * @module
 */
import { cast } from "../../../ops/cast.ts";
import { notEqual } from "../../../ops/comparisons.ts";
import { clamp } from "../../../ops/choice.ts";
import { tableEntry } from "../../core/table_entry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { type ElementKind, elementType } from "../format/element_types.ts";
import { mapElements } from "../host/elements.ts";
import type { Operator } from "../operator.ts";
import { type Constant, isConstant, type Value } from "../value.ts";

/** Converts to a kind of elements. Floats of all widths are one kind: `amp` chooses the width. */
function converted(x: Tensor, kind: ElementKind): Tensor {
  switch (kind) {
    case "float":
      return x.dtype === "i32" ? cast(x, "f32") : x;
    case "integer":
      return x.dtype === "i32" ? x : cast(clamp(x, { low: -2147483648, high: 2147483520 }), "i32");
    case "boolean":
      return notEqual(x, 0);
  }
}

function convertedConstant(x: Constant, kind: ElementKind): Constant {
  const value = kind === "integer"
    ? Math.trunc
    : kind === "boolean"
    ? (v: number) => v === 0 ? 0 : 1
    : (v: number) => v;
  return mapElements("Cast", [x], kind, value);
}

function convert(node: Application, kind: ElementKind): Value {
  node.attributes.ignore("saturate", "round_mode");
  const x = node.value(0);
  return isConstant(x) && !x.trained ? convertedConstant(x, kind) : converted(node.tensor(0), kind);
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
    return convert(node, elementType(number, "the result").kind);
  },
};

const toTypeOf: Operator = {
  type: "CastLike",
  build(node) {
    const like = node.value(1);
    if (isConstant(like)) return convert(node, like.kind);
    if (like.dtype === "i32") return convert(node, "integer");
    return convert(node, "float");
  },
};

export const CASTS: readonly Operator[] = [toType, toTypeOf];
