import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { load } from "./kernels/access.ts";
import { checkWindowLoops, nestedIterations, stepLoop, stepOfWindow } from "./kernels/loop_limit.ts";
import {
  blocksFit,
  maxPoolGradApart,
  maxPoolGradBlocks,
  type MaxPoolGradOptions,
  windowsStandApart,
} from "./kernels/max_pool_grad.ts";
import { maxPoolLines, maxPoolLinesFit, maxPoolLinesGrad } from "./kernels/max_pool_lines.ts";
import { isNan } from "./kernels/nan.ts";
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
import { inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";
import { asImages } from "./to_layout.ts";

/** y[n, c, i, j] = largest value of x in a window, NaN if one is NaN; padding is ignored. Input: x. */
export const maxPool2dOp: OpDef<PoolAttrs> = {
  type: "max_pool2d",
  precision: "follow",
  aliases: { singa: "GpuPoolingForward", nnc: "MaxPooling", paddle: "pool2d", mindinsight: "MaxPool" },
  shape: ([x], attrs) => [pooledType(x!, attrs, "max_pool2d")],
  cost: (inputs, outputs, { kernel }) => ({
    flops: sizeOf(outputs[0]!.shape) * sizeOf(kernel),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    return dy.graph.apply(maxPool2dGradOp, node.attrs, [dy, node.inputs[0]!, outputOf(node, 0)]);
  },
  candidates({ inputs, outputs, attrs, traits }) {
    const images = inputBuffer(inputs, 0);
    const lines = { shape: inputs[0]!.shape, kernel: attrs.kernel, traits };
    const adjacent = windowsStandApart(attrs) && !inPlanes(inputs[0]!) && maxPoolLinesFit(lines);
    const step = stepOfWindow(...attrs.kernel, traits);
    const pixels = pixelKernel({
      name: step === 1 ? "max_pool2d" : `max_pool2d.by${step}`,
      traits,
      target: outputs[0]!,
      inputs: { images },
      output: outputBuffer(outputs, 0),
      uniforms: windowUniforms(inputs[0]!.shape, outputs[0]!.shape, attrs),
      body: (lane) =>
        `  ${windowBounds("row", "column")}
  var value = ${load("images", unpooled(lane, "top", "left"), images.dtype, lane.width)};
  for (var y = top; y < bottom; y++) {
    ${
          stepLoop(
            { first: "left", by: "1u", end: "right", step },
            (x, kept) =>
              `let pixel = ${kept(load("images", unpooled(lane, "y", x), images.dtype, lane.width), "value")};
      value = select(value, pixel, (pixel > value) | ${isNan("pixel", lane.width)});`,
          )
        }
  }`,
    });
    return adjacent ? [maxPoolLines({ ...lines, images, output: outputBuffer(outputs, 0) }), pixels] : [pixels];
  },
};

/**
 * dx of a pixel = sum of dy over the windows in which the pixel is the first maximum, in row-major order; windows
 * with NaN add 0. Each pixel visits the windows that cover it, so no two lanes write the same element. Inputs: dy, x, y.
 */
export const maxPool2dGradOp: OpDef<PoolAttrs> = {
  type: "max_pool2d_grad",
  precision: "follow",
  aliases: { singa: "GpuPoolingBackward", paddle: "pool2d_grad", mindinsight: "MaxPoolGrad" },
  shape: ([, x]) => [x!],
  cost: (inputs, outputs, { kernel }) => ({
    flops: sizeOf(inputs[0]!.shape) * (sizeOf(kernel) + 1),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  candidates({ inputs, outputs, attrs, traits }) {
    const { kernel } = attrs;
    const [rows, columns] = mostWindows(attrs, inputs[0]!.shape);
    const iterations = nestedIterations(rows, columns * (2 + nestedIterations(...kernel)));
    checkWindowLoops("The gradient of max_pool2d", { kernel, iterations }, traits);
    const [dy, images, pooled] = [inputBuffer(inputs, 0), inputBuffer(inputs, 1), inputBuffer(inputs, 2)];
    const gather = pixelKernel({
      name: "max_pool2d_grad",
      traits,
      target: outputs[0]!,
      inputs: { dy, images, pooled },
      output: outputBuffer(outputs, 0),
      uniforms: windowUniforms(inputs[1]!.shape, inputs[0]!.shape, attrs),
      body: (lane) => {
        const { width, zero } = lane;
        const image = (row: string, column: string) => load("images", unpooled(lane, row, column), images.dtype, width);
        return `  let own = ${image("row", "column")};
  var value = ${zero};
${
          forEachWindow(
            lane,
            `    ${windowBounds("pooledRow", "pooledColumn")}
    let largest = ${load("pooled", "place", pooled.dtype, width)};
    var first = own == largest;
    for (var y = top; y <= row; y++) {
      let end = select(right, column, y == row);
      for (var x = left; x < end; x++) { first = first & (${image("y", "x")} != largest); }
    }
    value += select(${zero}, ${load("dy", "place", dy.dtype, width)}, first);`,
          )
        }`;
      },
    });
    const [, , height, width] = inputs[0]!.shape as readonly [number, number, number, number];
    const options: MaxPoolGradOptions = {
      dy,
      images,
      pooled,
      target: outputBuffer(outputs, 0),
      shape: inputs[1]!.shape,
      pooledSize: [height, width],
      planes: inPlanes(inputs[1]!),
      traits,
    };
    if (windowsStandApart(attrs)) {
      const adjacent = { ...options, kernel: attrs.kernel };
      const apart = [maxPoolGradApart(adjacent), gather];
      return !options.planes && maxPoolLinesFit(adjacent) ? [maxPoolLinesGrad(adjacent), ...apart] : apart;
    }
    return traits.class !== "cpu" && blocksFit(attrs) ? [maxPoolGradBlocks({ ...options, attrs }), gather] : [gather];
  },
};

/** Returns the largest value of each window of images `[n, c, h, w]`. The stride defaults to the size of the kernel. */
export function maxPool2d(x: Tensor, options: PoolOptions): Tensor {
  return x.graph.apply(maxPool2dOp, poolAttrs(options), [asImages(x)])[0]!;
}
