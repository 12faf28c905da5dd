import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { load } from "./kernels/access.ts";
import { stepLoop, stepOfRow } from "./kernels/loop_limit.ts";
import { pixelKernel, requireImages } from "./kernels/pool.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";
import { unroll } from "./kernels/unroll.ts";
import { asImages } from "./to_layout.ts";

/** Attributes of the gradient, whose inputs do not include the images. */
export interface GlobalAvgPool2dGradAttrs {
  /** Height and width of the images. */
  readonly size: readonly [number, number];
}

/** Returns a loop over groups of four pixels, whose reads overlap, and a loop over the remaining pixels. */
function fourPixels(pixel: (i: string) => string): string {
  return `var i = 0u;
  for (; i + 3u < u.pixels; i += 4u) {
${unroll(4, (n) => `    let pixel${n} = ${pixel(`(i + ${n}u)`)};`)}
    value += (pixel0 + pixel1) + (pixel2 + pixel3);
  }
  for (; i < u.pixels; i++) { value += ${pixel("i")}; }`;
}

/** Mean of each channel of each image. Input: x `[n, c, h, w]`. Output: `[n, c, 1, 1]`. */
export const globalAvgPool2dOp: OpDef<NoAttrs> = {
  type: "global_avg_pool2d",
  precision: "follow",
  aliases: { nnc: "GlobalAveragePooling", paddle: "pool2d", mindinsight: "AdaptiveAvgPool2D" },
  shape([x]) {
    requireImages(x!, "global_avg_pool2d");
    return [{ ...x!, shape: [...x!.shape.slice(0, 2), 1, 1] }];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    const [, , height, width] = node.inputs[0]!.shape as readonly [number, number, number, number];
    return dy.graph.apply(globalAvgPool2dGradOp, { size: [height, width] }, [dy]);
  },
  candidates({ inputs, outputs, traits }) {
    const images = inputBuffer(inputs, 0);
    const pixels = sizeOf(inputs[0]!.shape.slice(2));
    const step = stepOfRow(pixels, 1, traits);
    return [pixelKernel({
      name: step === 1 ? "global_avg_pool2d" : `global_avg_pool2d.by${step}`,
      traits,
      target: outputs[0]!,
      inputs: { images },
      output: outputBuffer(outputs, 0),
      uniforms: { pixels },
      body: ({ at, width, zero }) => {
        const pixel = (i: string) => load("images", at("0u", i, "1u", "u.pixels"), images.dtype, width);
        const each = stepLoop(
          { first: "0u", by: "1u", end: "u.pixels", step },
          (k) => step === 1 ? `value += ${pixel(k)};` : `if (${k} < u.pixels) { value += ${pixel(k)}; }`,
        );
        return `  var value = ${zero};
  ${traits.class === "cpu" ? each : fourPixels(pixel)}
  value /= f32(u.pixels);`;
      },
    })];
  },
};

/** dx of every pixel = dy / (h w). Input: dy. */
export const globalAvgPool2dGradOp: OpDef<GlobalAvgPool2dGradAttrs> = {
  type: "global_avg_pool2d_grad",
  precision: "follow",
  aliases: { paddle: "pool2d_grad", mindinsight: "AdaptiveAvgPool2DGrad" },
  shape: ([dy], { size }) => [{ ...dy!, shape: [...dy!.shape.slice(0, 2), ...size] }],
  cost: (inputs, outputs) => ({ flops: sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, outputs, attrs, traits }) {
    const dy = inputBuffer(inputs, 0);
    return [pixelKernel({
      name: "global_avg_pool2d_grad",
      traits,
      target: outputs[0]!,
      inputs: { dy },
      output: outputBuffer(outputs, 0),
      uniforms: { pixels: sizeOf(attrs.size) },
      body: ({ width }) => `  let value = ${load("dy", "n * u.channels + c", dy.dtype, width)} / f32(u.pixels);`,
    })];
  },
};

/** Returns the mean over the pixels of images `[n, c, h, w]`, as `[n, c, 1, 1]`. */
export function globalAvgPool2d(x: Tensor): Tensor {
  return x.graph.apply(globalAvgPool2dOp, {}, [asImages(x)])[0]!;
}
