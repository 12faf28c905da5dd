import assert from "node:assert/strict";
import * as tf from "../packages/tfjs.ts";
import { type Layout, toLogical, toPhysical } from "../../runtime/core/layout.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { buildConvolution as build, checkConvolution as check, convolutionReference } from "../support/conv_case.ts";
import { CASES, type ConvCase, PLAIN, randomCase } from "../support/conv_cases.ts";
import { sampled } from "../support/full.ts";
import { draw } from "../support/products.ts";
import { refuses } from "../support/refuses.ts";

for (const [name, c] of sampled(Object.entries(CASES), 12)) {
  Deno.test(`conv2d f32: ${name}`, () => check(name, c, "f32"));
}

Deno.test("conv2d f32: random shapes", async () => {
  for (const seed of sampled([...Array(12).keys()], 2)) {
    const c = randomCase(seed);
    await check(JSON.stringify(c), c, "f32", seed);
  }
});

Deno.test("the reference convolution agrees with TensorFlow.js", () => {
  const c = CASES["strides 2 and 3"]!;
  const yShape = build(c, "f32", "f32", null).y.shape;
  const [x, weight, dy] = [
    draw(sizeOf(c.x), "f32", 1),
    draw(sizeOf(c.weight), "f32", 2),
    draw(sizeOf(yShape), "f32", 3),
  ];
  const tensor = (values: Float64Array, shape: Shape, layout: "nhwc" | "hwio") => {
    const [a, b, c, d] = shape as [number, number, number, number];
    const values32 = Float32Array.from(toPhysical(values, shape, layout));
    return tf.tensor4d(values32, layout === "nhwc" ? [a, c, d, b] : [c, d, b, a]);
  };
  const [ph, pw] = c.padding;
  const attributes = { strides: [...c.stride], pad: [[0, 0], [ph, ph], [pw, pw], [0, 0]], dataFormat: "NHWC" };
  const tensors = {
    x: tensor(x, c.x, "nhwc"),
    filter: tensor(weight, c.weight, "hwio"),
    dy: tensor(dy, yShape, "nhwc"),
  };
  const run = (kernel: string, inputs: tf.NamedTensorMap, more: object = {}) =>
    tf.engine().runKernel(kernel, inputs, { ...attributes, ...more }) as tf.Tensor;
  const y = run("Conv2D", { x: tensors.x, filter: tensors.filter }, { dilations: [1, 1] });
  const dx = run("Conv2DBackpropInput", { dy: tensors.dy, filter: tensors.filter }, { inputShape: tensors.x.shape });
  const dw = run("Conv2DBackpropFilter", { x: tensors.x, dy: tensors.dy }, { filterShape: tensors.filter.shape });
  const close = (actual: tf.Tensor, shape: Shape, layout: Layout, expected: ArrayLike<number>) =>
    toLogical(actual.dataSync() as Float32Array, shape, layout).forEach((value, i) => {
      assert.ok(Math.abs(value - expected[i]!) < 1e-4, `${layout} element ${i} is ${value}, expected ${expected[i]}`);
    });
  const want = convolutionReference(c, { x, weight, dy });
  close(y, yShape, "nhwc", want.y);
  close(dx, c.x, "nhwc", want.dx);
  close(dw, c.weight, "hwio", want.dw);
});

Deno.test("conv2d rejects inputs, weights and attributes that do not match", () => {
  const refused = (c: ConvCase, bias: number[] | null, message: RegExp) =>
    refuses(() => build(c, "f32", "f32", bias), message);
  refused(
    { ...PLAIN, x: [1, 3, 8, 8], weight: [4, 5, 3, 3] },
    null,
    /layer "conv2d": Expected 5 input channels .* got 3 from input \[1, 3, 8, 8\]/,
  );
  refused({ ...PLAIN, x: [1, 4, 8, 8], weight: [6, 1, 3, 3], groups: 4 }, null, /groups that divide 4 .* 6 .* got 4/);
  refused({ ...PLAIN, x: [1, 4, 2, 8], weight: [4, 4, 3, 3] }, null, /kernel that fits .* 2x8, got 3x3/);
  refused({ ...PLAIN, x: [1, 4, 8], weight: [4, 4, 3, 3] }, null, /Expected float images .* got f32\[1, 4, 8\]/);
  refused({ ...PLAIN, x: [1, 4, 8, 8], weight: [4, 4, 3] }, null, /Expected a weight/);
  refused({ ...PLAIN, x: [1, 4, 8, 8], weight: [6, 4, 3, 3] }, [4], /Expected a bias \[6\] .* got \[4\]/);
});
