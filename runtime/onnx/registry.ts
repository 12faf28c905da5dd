/**
 * The operators of ONNX that Tacho has.
 *
 * @module
 */
import { CONVOLUTIONS } from "./ops/convolutions.ts";
import { ELEMENTWISE } from "./ops/elementwise.ts";
import { PRODUCTS } from "./ops/products.ts";
import { SHAPES } from "./ops/shapes.ts";
import { type Operator, operatorKey } from "./operator.ts";

const OPERATORS: readonly Operator[] = [
  ...CONVOLUTIONS,
  ...ELEMENTWISE,
  ...PRODUCTS,
  ...SHAPES,
];

/** The operators by {@linkcode operatorKey}. */
export const OPERATOR_BY_KEY: ReadonlyMap<string, Operator> = new Map(
  OPERATORS.map((operator) => [operatorKey(operator.type, operator.domain), operator]),
);
