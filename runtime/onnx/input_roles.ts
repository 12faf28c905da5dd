/**
 * Roles of the inputs of operators that tell parameters from other tensors.
 *
 * @module
 */
import type { OnnxNode } from "./format/model.ts";
import { MICROSOFT, operatorKey } from "./operator.ts";

/**
 * Use of a tensor by a node:
 * - `weight`: of a product, a convolution or a recurrent network
 * - `table`: rows that indices of the model's input look up
 * - `bias`: of a product, a convolution or an activation, or added to the product of a weight
 * - `affine`: scale or bias of a norm, slope of an activation
 * - `statistics`: running statistics of a norm
 * - `setting`: limits, conditions, scales of quantisation and whatever else a layer does not learn
 * - `added`, `subtracted`, `multiplied`, `divided`, `exponent`: operand of arithmetic
 * - `value`: joined with values, or chosen in their place
 */
export type InputRole =
  | "weight"
  | "table"
  | "bias"
  | "affine"
  | "statistics"
  | "setting"
  | "added"
  | "subtracted"
  | "multiplied"
  | "divided"
  | "exponent"
  | "value";

const microsoft = (type: string) => operatorKey(type, MICROSOFT);

/** Roles of inputs by operator; those that are not listed have the role of {@linkcode OTHER_ROLES}, or `value`. */
const ROLES: ReadonlyMap<string, Readonly<Partial<Record<InputRole, readonly number[]>>>> = new Map([
  ["BatchNormalization", { affine: [1, 2], statistics: [3, 4] }],
  ["Clip", { setting: [1, 2] }],
  ["Conv", { weight: [1], bias: [2] }],
  ["ConvTranspose", { weight: [1], bias: [2] }],
  ["DequantizeLinear", { setting: [1, 2] }],
  ["Div", { multiplied: [0], divided: [1] }],
  ["Dropout", { setting: [1, 2] }],
  ["Einsum", { weight: [0, 1, 2, 3] }],
  ["GRU", { weight: [1, 2], bias: [3] }],
  ["Gather", { table: [0] }],
  ["Gemm", { weight: [0, 1], bias: [2] }],
  ["GroupNormalization", { affine: [1, 2] }],
  ["InstanceNormalization", { affine: [1, 2] }],
  ["LSTM", { weight: [1, 2, 7], bias: [3] }],
  ["LayerNormalization", { affine: [1, 2] }],
  ["MatMul", { weight: [0, 1] }],
  ["OneHot", { setting: [1, 2] }],
  ["PRelu", { affine: [1] }],
  ["Pad", { setting: [1, 2] }],
  ["Pow", { exponent: [1] }],
  ["QuantizeLinear", { setting: [1, 2] }],
  ["RMSNormalization", { affine: [1] }],
  ["RNN", { weight: [1, 2], bias: [3] }],
  ["Resize", { setting: [1, 2] }],
  ["RotaryEmbedding", { setting: [1, 2] }],
  ["SimplifiedLayerNormalization", { affine: [1] }],
  ["Sub", { added: [0], subtracted: [1] }],
  ["Upsample", { setting: [1] }],
  ["Where", { setting: [0] }],
  [microsoft("Attention"), { weight: [1], bias: [2] }],
  [microsoft("BiasGelu"), { bias: [1] }],
  [microsoft("FastGelu"), { bias: [1] }],
  [microsoft("FusedConv"), { weight: [1], bias: [2] }],
  [microsoft("FusedGemm"), { weight: [0, 1], bias: [2] }],
  [microsoft("FusedMatMul"), { weight: [0, 1] }],
  [microsoft("MultiHeadAttention"), { bias: [3] }],
  [microsoft("RotaryEmbedding"), { setting: [2, 3] }],
  [microsoft("SimplifiedLayerNormalization"), { affine: [1] }],
  [microsoft("SkipLayerNormalization"), { affine: [2, 3], bias: [4] }],
  [microsoft("SkipSimplifiedLayerNormalization"), { affine: [2], bias: [3] }],
]);

const keys = (types: string) => types.split(" ");

/** Roles of all inputs of an operator that {@linkcode ROLES} does not list. */
const OTHER_ROLES: ReadonlyMap<string, InputRole> = new Map([
  ...keys("Add Mean Sum").map((key) => [key, "added"] as const),
  ["Mul", "multiplied"],
  ...keys(
    "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Max Min Mod Not Or Range Size Shape Xor",
  ).map((key) => [key, "setting"] as const),
]);

/** Roles by operator and input. */
const ROLE_OF: ReadonlyMap<string, readonly (InputRole | undefined)[]> = new Map(
  [...ROLES].map(([key, roles]) => {
    const byInput: InputRole[] = [];
    for (const [role, inputs] of Object.entries(roles)) for (const i of inputs) byInput[i] = role as InputRole;
    return [key, byInput] as const;
  }),
);

/** Returns what a node uses an input for. */
export function roleOf({ type, domain }: OnnxNode, input: number): InputRole {
  const key = operatorKey(type, domain);
  return ROLE_OF.get(key)?.[input] ?? OTHER_ROLES.get(key) ?? "value";
}

/** Operators that move, repeat, join or convert the elements of their first inputs. */
const MOVES: ReadonlySet<string> = new Set(keys(
  "Cast CastLike Concat DepthToSpace DequantizeLinear Dropout Expand Flatten Gather GatherElements GatherND Identity Pad " +
    "QuantizeLinear Reshape Slice SpaceToDepth Split Squeeze Tile Transpose Unsqueeze",
));

/** Returns true if a node's outputs are elements of its inputs in other places. */
export function isMove({ type, domain }: OnnxNode): boolean {
  return domain === "" && MOVES.has(type);
}

/** Operators whose outputs have no gradient, or are angles that a table of positions is computed from. */
const OPAQUE: ReadonlySet<string> = new Set(keys(
  "And ArgMax ArgMin Ceil ConstantOfShape Cos Equal EyeLike Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual " +
    "NonZero Not OneHot Or RandomNormalLike RandomUniformLike Range Round Shape Sign Sin Size TopK Xor",
));

/** Returns true if no parameter reaches an output of a node that computes from constants. */
export function isOpaque({ type, domain }: OnnxNode): boolean {
  return domain === "" && OPAQUE.has(type);
}

/** Operators that are layers with a weight, to whose output a bias may be added. */
const PRODUCTS: ReadonlySet<string> = new Set([
  ...keys("Conv ConvTranspose Einsum Gemm MatMul"),
  microsoft("FusedMatMul"),
]);

/** Returns true for a product with a weight. */
export function isProduct({ type, domain }: OnnxNode): boolean {
  return PRODUCTS.has(operatorKey(type, domain));
}
