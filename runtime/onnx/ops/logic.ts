/**
 * Comparisons and truth values, which are 0 and 1.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul, sub } from "../../../ops/arithmetic.ts";
import { cast } from "../../../ops/cast.ts";
import { where } from "../../../ops/choice.ts";
import { equal, greater, greaterEqual, isNan, less, lessEqual, notEqual } from "../../../ops/comparisons.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { mapElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import { alike, binary, ofRank, unary } from "./elementwise.ts";

const BOOLEAN = { result: "boolean" } as const;

/** a where the condition holds, b elsewhere. */
const choice: Operator = {
  type: "Where",
  build(node) {
    const condition = node.floats(0);
    const [a, b] = [node.operand(1), node.operand(2)];
    const rank = Math.max(...[0, 1, 2].map((i) => node.shape(i).length));
    const [x, y] = typeof a === "number" && typeof b === "number" ? [node.tensor(1), b] : alike(a, b);
    return ofRank(where(condition, x, y), rank);
  },
  fold(node) {
    const [condition, a, b] = [0, 1, 2].map((i) => node.constant(i, "an operand")!) as [
      NonNullable<ReturnType<Application["constant"]>>,
      NonNullable<ReturnType<Application["constant"]>>,
      NonNullable<ReturnType<Application["constant"]>>,
    ];
    return mapElements("Where", [condition, a, b], a.kind, (holds, x, y) => holds !== 0 ? x! : y!);
  },
};

const isNaN: Operator = { type: "IsNaN", build: (node) => isNan(node.floats(0)) };

const isInfinite: Operator = {
  type: "IsInf",
  build(node) {
    const x = node.floats(0);
    const { attributes } = node;
    const above = attributes.integer("detect_positive", 1) !== 0 ? greater(x, LARGEST) : null;
    const below = attributes.integer("detect_negative", 1) !== 0 ? less(x, -LARGEST) : null;
    if (above !== null && below !== null) return add(above, below);
    return above ?? below ?? mul(isNan(x), 0);
  },
};

/** Largest finite f32. */
const LARGEST = 3.4028234663852886e38;

function truth(x: Tensor): Tensor {
  return x.dtype === "i32" ? cast(x, "f32") : x;
}

export const LOGIC: readonly Operator[] = [
  binary("Equal", equal, (a, b) => a === b ? 1 : 0, BOOLEAN),
  binary("Less", less, (a, b) => a < b ? 1 : 0, BOOLEAN),
  binary("LessOrEqual", lessEqual, (a, b) => a <= b ? 1 : 0, BOOLEAN),
  binary("Greater", greater, (a, b) => a > b ? 1 : 0, BOOLEAN),
  binary("GreaterOrEqual", greaterEqual, (a, b) => a >= b ? 1 : 0, BOOLEAN),
  binary("And", mul, (a, b) => a !== 0 && b !== 0 ? 1 : 0, BOOLEAN),
  binary("Or", (a, b) => greater(add(a, b), 0), (a, b) => a !== 0 || b !== 0 ? 1 : 0, BOOLEAN),
  binary("Xor", notEqual, (a, b) => (a !== 0) !== (b !== 0) ? 1 : 0, BOOLEAN),
  unary("Not", (x) => sub(1, truth(x)), (x) => x === 0 ? 1 : 0, "boolean"),
  choice,
  isInfinite,
  isNaN,
];
