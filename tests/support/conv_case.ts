/** Checks of convolutions and their gradients against plain loops. */
import assert from "node:assert/strict";
import { conv2d } from "../../ops/conv2d.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, type ImageLayout, rowMajor } from "../../runtime/graph/types.ts";
import { channelSums, type ConvCase, convForward, convInputGrad, convWeightGrad } from "./conv_reference.ts";
import { checkProducts, draw, type Expected, type ProductOptions } from "./products.ts";

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
    bias: draw(out, "f32", seed * 10 + 3),
    dy: draw(sizeOf(y.shape), dtype, seed * 10 + 4),
  };
  const [n, , oh, ow] = y.shape as [number, number, number, number];
  const addBias = (y: Float64Array, bias: Float64Array) =>
    withBias ? y.map((v, i) => v + bias[Math.floor(i / (oh * ow)) % out]!) : y;
  const all = (v: typeof values) => ({
    y: addBias(convForward(c, v.x, v.weight), v.bias),
    dx: convInputGrad(c, v.dy, v.weight),
    dw: convWeightGrad(c, v.x, v.dy),
    db: channelSums(v.dy, n, out, oh * ow),
  });
  const [want, magnitude] = [
    all(values),
    all({
      x: values.x.map(Math.abs),
      weight: values.weight.map(Math.abs),
      bias: values.bias.map(Math.abs),
      dy: values.dy.map(Math.abs),
    }),
  ];
  const names = ["y", "dx", "dw", ...(withBias ? ["db"] as const : [])] as const;
  const expected = names.map((name): Expected => ({ name, values: want[name], magnitude: magnitude[name] }));
  await checkProducts(title, [y, ...gradients.map((g) => g!)], new Map(Object.entries(values)), expected, options);
}
