/** Checks of convolutions and their gradients against the reference. */
import assert from "node:assert/strict";
import { conv2d } from "../../ops/conv2d.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, type ImageLayout, rowMajor } from "../../runtime/graph/types.ts";
import type { ConvCase } from "./conv_cases.ts";
import { checkProducts, draw, expectedOf, type ProductOptions } from "./products.ts";
import { conv2d as referenceConv2d } from "./reference/conv2d.ts";
import { Tape, Value } from "./reference/value.ts";

/** Builds the graph of a convolution; a `null` for the bias adds none. */
export function buildConvolution(
  c: ConvCase,
  dtype: FloatType,
  weightType: FloatType,
  biasShape: readonly number[] | null,
  images: ImageLayout = "nhwc",
) {
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation(c.x, dtype, images));
  const weight = graph.leaf("parameter", "weight", {
    shape: c.weight,
    dtype: weightType,
    layout: c.weight.length === 4 ? "hwio" : "row",
  });
  const bias = biasShape === null ? null : graph.leaf("parameter", "bias", rowMajor(biasShape, "f32"));
  const { stride, padding, dilation, groups } = c;
  return { graph, x, weight, bias, y: conv2d(x, weight, bias, { stride, padding, dilation, groups }) };
}

/** Logical values of a convolution's inputs; a `bias` that is left out adds none. */
type ConvValues = Readonly<Record<"x" | "weight" | "dy", Float64Array>> & { readonly bias?: Float64Array };

/** Returns a convolution and its gradients, in f64. */
export function convolutionReference(c: ConvCase, v: ConvValues) {
  const tape = new Tape();
  const [x, weight] = [Value.from(c.x, v.x), Value.from(c.weight, v.weight)];
  const bias = v.bias === undefined ? null : Value.from([c.weight[0]!], v.bias);
  const y = referenceConv2d(tape, x, weight, bias, c);
  tape.backward(y, v.dy);
  return { y: y.data, dx: x.grad, dw: weight.grad, ...bias === null ? {} : { db: bias.grad } };
}

/** Checks a convolution and its gradients, with a bias if `seed` is odd. */
export async function checkConvolution(
  title: string,
  c: ConvCase,
  dtype: FloatType,
  seed = 1,
  weightType = dtype,
  images: ImageLayout = "nhwc",
  options: ProductOptions = {},
): Promise<void> {
  const out = c.weight[0]!;
  const withBias = seed % 2 === 1;
  const { graph, x, weight, bias, y } = buildConvolution(c, dtype, weightType, withBias ? [out] : null, images);
  const dy = graph.leaf("input", "dy", y.type);
  const parameters = bias === null ? [weight] : [weight, bias];
  const gradients = differentiate(y, dy, [x, ...parameters], () => assert.fail("nothing to accumulate"));
  const values = {
    x: draw(sizeOf(c.x), dtype, seed * 10 + 1),
    weight: draw(sizeOf(c.weight), weightType, seed * 10 + 2),
    ...withBias ? { bias: draw(out, "f32", seed * 10 + 3) } : {},
    dy: draw(sizeOf(y.shape), dtype, seed * 10 + 4),
  };
  const expected = expectedOf(values, (v) => convolutionReference(c, v));
  await checkProducts(title, [y, ...gradients.map((g) => g!)], new Map(Object.entries(values)), expected, options);
}
