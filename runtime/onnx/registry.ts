/**
 * The operators of ONNX that Tacho has.
 *
 * @module
 */
import { ACTIVATIONS } from "./ops/activations.ts";
import { ALONG_AXIS } from "./ops/along_axis.ts";
import { ARITHMETIC } from "./ops/arithmetic.ts";
import { ATTENTION } from "./ops/attention.ts";
import { CASTS } from "./ops/casts.ts";
import { CONVOLUTIONS } from "./ops/convolutions.ts";
import { CONTRIBUTED } from "./ops/contributed.ts";
import { CONTROL } from "./ops/control.ts";
import { FUNCTIONS } from "./ops/functions.ts";
import { FUSIONS } from "./ops/fused.ts";
import { GENERATORS } from "./ops/generators.ts";
import { INDEXING } from "./ops/indexing.ts";
import { JOINING } from "./ops/joining.ts";
import { LOGIC } from "./ops/logic.ts";
import { NORMS } from "./ops/norms.ts";
import { PADDING } from "./ops/padding.ts";
import { POOLINGS } from "./ops/poolings.ts";
import { PRODUCTS } from "./ops/products.ts";
import { QUANTIZATION } from "./ops/quantization.ts";
import { RECURRENT } from "./ops/recurrent.ts";
import { REDUCTIONS } from "./ops/reductions.ts";
import { RESIZING } from "./ops/resizing.ts";
import { SELECTION } from "./ops/selection.ts";
import { SHAPES } from "./ops/shapes.ts";
import { SLICING } from "./ops/slicing.ts";
import { type Operator, operatorKey } from "./operator.ts";

const OPERATORS: readonly Operator[] = [
  ...ACTIVATIONS,
  ...ALONG_AXIS,
  ...ARITHMETIC,
  ...ATTENTION,
  ...CASTS,
  ...CONTRIBUTED,
  ...CONTROL,
  ...CONVOLUTIONS,
  ...FUNCTIONS,
  ...FUSIONS,
  ...GENERATORS,
  ...INDEXING,
  ...JOINING,
  ...LOGIC,
  ...NORMS,
  ...PADDING,
  ...POOLINGS,
  ...PRODUCTS,
  ...QUANTIZATION,
  ...RECURRENT,
  ...REDUCTIONS,
  ...RESIZING,
  ...SELECTION,
  ...SHAPES,
  ...SLICING,
];

/** The operators by {@linkcode operatorKey}. */
export const OPERATOR_BY_KEY: ReadonlyMap<string, Operator> = new Map(
  OPERATORS.map((operator) => [operatorKey(operator.type, operator.domain), operator]),
);
