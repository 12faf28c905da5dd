/**
 * Matrix products.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul } from "../../../ops/arithmetic.ts";
import { reduceIntegers } from "../../../ops/integer_reduction.ts";
import { linear } from "../../../ops/linear.ts";
import { matmul } from "../../../ops/matmul.ts";
import { reshape } from "../../../ops/reshape.ts";
import { swapAxes } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { Operator } from "../operator.ts";
import { isConstant } from "../value.ts";

/** Adds alpha op(a) op(b) + beta c. A trained b is the weight of a linear layer. */
export function multiply(node: Application): Tensor {
  const { attributes } = node;
  const [transposeA, transposeB] = [attributes.integer("transA", 0) !== 0, attributes.integer("transB", 0) !== 0];
  const [alpha, beta] = [attributes.float("alpha", 1), attributes.float("beta", 1)];
  if (node.opset < 7) attributes.ignore("shapes that differ are broadcast", "broadcast");
  if (node.shape(0).length !== 2 || node.shape(1).length !== 2) {
    throw new InputError(
      `expected two matrices, got ${formatShape(node.shape(0))} and ${formatShape(node.shape(1))}`,
    );
  }
  if ([0, 1].every((i) => isInteger(node, i))) {
    const product = integerProduct(oriented(node.tensor(0), transposeA), oriented(node.tensor(1), transposeB));
    const whole = alpha === 1 ? product : mul(product, alpha);
    return node.has(2) && beta !== 0 ? add(whole, scaled(node.tensor(2), beta)) : whole;
  }
  const features = node.shape(1)[transposeB ? 0 : 1];
  const bias = node.has(2) && beta !== 0 ? node.floats(2) : null;
  if (isWeight(node, 1) && !transposeA && alpha === 1) {
    const weight = weightOf(node, 1, transposeB);
    const isBias = bias !== null && beta === 1 && bias.shape.length === 1 && bias.shape[0] === features;
    const product = linear(node.floats(0), weight, isBias ? bias : null);
    return bias === null || isBias ? product : add(product, scaled(bias, beta));
  }
  const product = scaled(matmul(node.floats(0), node.floats(1), { transposeA, transposeB }), alpha);
  return bias === null ? product : add(product, scaled(bias, beta));
}

const gemm: Operator = { type: "Gemm", build: multiply };

/** Adds a product of matrices, with NumPy broadcasting. A trained matrix is the weight of a linear layer. */
export function productOf(node: Application): Tensor {
  if ([0, 1].every((i) => isInteger(node, i))) return integerProduct(node.tensor(0), node.tensor(1));
  const x = node.floats(0);
  if (isWeight(node, 1) && node.shape(1).length === 2 && x.shape.length >= 2 && x.type.layout === "row") {
    return linear(x, weightOf(node, 1, false), null);
  }
  return matmul(x, node.floats(1));
}

const product: Operator = { type: "MatMul", build: productOf };

/** Returns the matrix of a linear layer, `[in, out]`, or `[out, in]` if the node or the file transposes it. */
export function weightOf(node: Application, i: number, isTransposed: boolean): Tensor {
  const value = node.value(i);
  const source = isConstant(value) ? value.transposed : null;
  const swapped = isTransposed !== (source !== null);
  return node.toTensor(source ?? value, `input${i}`, swapped ? "io" : "row");
}

/** Most products of integers, which are stored before they are added. */
const MAX_PRODUCTS = 1 << 26;

/** Returns the exact product of matrices of integers, with NumPy broadcasting. */
function integerProduct(a: Tensor, b: Tensor): Tensor {
  const [left, right] = [
    a.shape.length === 1 ? [1, ...a.shape] : a.shape,
    b.shape.length === 1 ? [...b.shape, 1] : b.shape,
  ];
  const [columns, inner] = [right.at(-1)!, left.at(-1)!];
  if (right.at(-2) !== inner) {
    throw new InputError(`${formatShape(a.shape)} and ${formatShape(b.shape)} do not fit together`);
  }
  const products = sizeOf(left) * sizeOf(right) / inner;
  if (products > MAX_PRODUCTS) {
    throw new InputError(`a product of integers of ${products} terms; expected at most ${MAX_PRODUCTS}, or floats`);
  }
  const terms = mul(
    reshape(a, [...left, 1]),
    reshape(b, [...right.slice(0, -2), 1, inner, columns]),
  );
  const whole = reduceIntegers(terms, "sum", { axes: -2 });
  const kept = whole.shape.filter((_, d, { length }) =>
    !(d === length - 2 && a.shape.length === 1) && !(d === length - 1 && b.shape.length === 1)
  );
  return reshape(whole, kept);
}

function oriented(x: Tensor, isTransposed: boolean): Tensor {
  return isTransposed ? swapAxes(x) : x;
}

function isInteger(node: Application, i: number): boolean {
  const value = node.value(i);
  return isConstant(value) ? value.kind === "integer" : value.dtype === "i32";
}

function isWeight(node: Application, i: number): boolean {
  const value = node.value(i);
  return isConstant(value) && value.kind === "float";
}

function scaled(x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : mul(x, factor);
}

export const PRODUCTS: readonly Operator[] = [gemm, product];
