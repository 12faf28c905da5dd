import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { bytesOf } from "./buffers.ts";
import { load } from "./kernels/access.ts";
import {
  forEachWindow,
  mostWindows,
  pixelKernel,
  type PoolAttrs,
  poolAttrs,
  pooledType,
  type PoolOptions,
  unpooled,
  windowBounds,
  windowUniforms,
} from "./kernels/pool.ts";
import { checkWindowLoops, nestedIterations, stepLoop, stepOfWindow } from "./kernels/loop_limit.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { asImages } from "./to_layout.ts";

export interface AvgPool2dAttrs extends PoolAttrs {
  /** True if the divisor of the sum includes padding. */
  readonly countIncludePad: boolean;
}

/** Attributes of the gradient, whose inputs do not include the images. */
export interface AvgPool2dGradAttrs extends AvgPool2dAttrs {
  /** Height and width of the images. */
  readonly size: readonly [number, number];
}

/** y[n, c, i, j] = mean of x over a window, with zero padding. Input: x. */
export const avgPool2dOp: OpDef<AvgPool2dAttrs> = {
  type: "avg_pool2d",
  precision: "follow",
  aliases: { singa: "GpuPoolingForward", nnc: "AveragePooling", paddle: "pool2d", mindinsight: "AvgPool" },
  shape: ([x], attrs) => [pooledType(x!, attrs, "avg_pool2d")],
  cost: (inputs, outputs, { kernel }) => ({
    flops: sizeOf(outputs[0]!.shape) * sizeOf(kernel),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    const [, , height, width] = node.inputs[0]!.shape as readonly [number, number, number, number];
    return dy.graph.apply(avgPool2dGradOp, { ...node.attrs, size: [height, width] }, [dy]);
  },
  candidates({ inputs, outputs, attrs, traits }) {
    const images = inputBuffer(inputs, 0);
    const step = stepOfWindow(...attrs.kernel, traits);
    return [pixelKernel({
      name: step === 1 ? "avg_pool2d" : `avg_pool2d.by${step}`,
      traits,
      target: outputs[0]!,
      inputs: { images },
      output: outputBuffer(outputs, 0),
      uniforms: uniforms(inputs[0]!.shape, outputs[0]!.shape, attrs),
      body: (lane) =>
        `  ${windowBounds("row", "column")}
  var value = ${lane.zero};
  for (var y = top; y < bottom; y++) {
    ${
          stepLoop(
            { first: "left", by: "1u", end: "right", step },
            (x, kept) =>
              `value += ${kept(load("images", unpooled(lane, "y", x), images.dtype, lane.width), lane.zero)};`,
          )
        }
  }
  value /= ${COUNT};`,
    })];
  },
};

/** dx of a pixel = sum of dy / divisor over the windows that cover the pixel. Input: dy. */
export const avgPool2dGradOp: OpDef<AvgPool2dGradAttrs> = {
  type: "avg_pool2d_grad",
  precision: "follow",
  aliases: { singa: "GpuPoolingBackward", paddle: "pool2d_grad", mindinsight: "AvgPoolGrad" },
  shape: ([dy], { size }) => [{ ...dy!, shape: [...dy!.shape.slice(0, 2), ...size] }],
  cost: (inputs, outputs, { kernel }) => ({
    flops: sizeOf(inputs[0]!.shape) * (sizeOf(kernel) + 1),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  candidates({ inputs, outputs, attrs, traits }) {
    const dy = inputBuffer(inputs, 0);
    const { kernel } = attrs;
    const iterations = nestedIterations(...mostWindows(attrs, inputs[0]!.shape));
    checkWindowLoops("The gradient of avg_pool2d", { kernel, iterations }, traits);
    return [pixelKernel({
      name: "avg_pool2d_grad",
      traits,
      target: outputs[0]!,
      inputs: { dy },
      output: outputBuffer(outputs, 0),
      uniforms: uniforms(outputs[0]!.shape, inputs[0]!.shape, attrs),
      body: (lane) =>
        `  var value = ${lane.zero};
${
          forEachWindow(
            lane,
            `    ${windowBounds("pooledRow", "pooledColumn")}
    value += ${load("dy", "place", dy.dtype, lane.width)} / ${COUNT};`,
          )
        }`,
    })];
  },
};

/** Returns the mean of each window of images `[n, c, h, w]`. The stride defaults to the size of the kernel. */
export function avgPool2d(x: Tensor, options: PoolOptions & { readonly countIncludePad?: boolean }): Tensor {
  const attrs = { ...poolAttrs(options), countIncludePad: options.countIncludePad ?? true };
  return x.graph.apply(avgPool2dOp, attrs, [asImages(x)])[0]!;
}

/** WGSL for the divisor of a window's sum. */
const COUNT = "f32(select((bottom - top) * (right - left), u.kernelHeight * u.kernelWidth, u.countIncludePad == 1u))";

function uniforms(images: readonly number[], pooled: readonly number[], attrs: AvgPool2dAttrs): Record<string, number> {
  return { ...windowUniforms(images, pooled, attrs), countIncludePad: attrs.countIncludePad ? 1 : 0 };
}
