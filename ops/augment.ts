import { sizeOf } from "../runtime/core/shape.ts";
import { type DevicePart, WINDOW_WORDS } from "../runtime/data/transforms/device_part.ts";
import { defineKernel } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { activation, type ImageLayout } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { vectorLoop } from "./kernels/elementwise.ts";

export interface AugmentAttrs extends DevicePart {
  readonly images: ImageLayout;
}

/**
 * The last transforms of a data set, run on the device: crops and flips samples and looks up each byte in the host's
 * table. Samples arrive as bytes, four to a word, followed by the window that the host has drawn. There is no
 * arithmetic on values, so the result is bit-identical to the host's.
 */
export const augmentOp: OpDef<AugmentAttrs> = {
  type: "augment",
  precision: "fixed",
  shape: ([x], { channels, height, width, images }) => [
    activation([x!.shape[0]!, channels, height, width], "f32", images),
  ],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ attrs, outputs, traits }) {
    const { words, channels, order, sourceHeight, sourceWidth, height, width, table, images } = attrs;
    const pixels = sizeOf(outputs[0]!.shape) / channels;
    const place = order === "hwc"
      ? "u32(y * i32(u.sourceWidth) + x) * u.channels + c"
      : "(c * u.sourceHeight + u32(y)) * u.sourceWidth + u32(x)";
    const kernel = defineKernel({
      name: `augment.${order}.${images === "nchw" ? "planes" : "pixels"}`,
      buffers: { x_: { ref: { input: 0 }, type: "u32" }, y_: { ref: { output: 0 }, type: "f32" } },
      ...vectorLoop(
        pixels,
        traits,
        `let plane = u.height * u.width;
    let sample = i / plane * u.words;
    let at = sample + u.words - ${WINDOW_WORDS}u;
    let y = bitcast<i32>(x_[at]) + i32(i / u.width % u.height);
    let x = bitcast<i32>(x_[at + 1u]) + i32(i % u.width) * bitcast<i32>(x_[at + 2u]);
    let inside = y >= bitcast<i32>(x_[at + 3u]) && y < bitcast<i32>(x_[at + 4u]) &&
      x >= bitcast<i32>(x_[at + 5u]) && x < bitcast<i32>(x_[at + 6u]);
    for (var c = 0u; c < u.channels; c++) {
      var value = 0u;
      if (inside) {
        let place = ${place};
        value = (x_[sample + place / 4u] >> (place % 4u * 8u)) & 255u;
      }
      let entry = c * 256u + value;
      y_[${
          images === "nchw" ? "(i / plane * u.channels + c) * plane + i % plane" : "i * u.channels + c"
        }] = u.table[entry / 4u][entry % 4u];
    }`,
        { words, channels, sourceHeight, sourceWidth, height, width, table: { table } },
      ),
    });
    return [{ name: kernel.name, kernels: [kernel], workspace: [] }];
  },
};

/** Returns images `[n, channels, height, width]` from the words `[n, part.words]` that a loader has made. */
export function augment(words: Tensor, part: DevicePart): Tensor {
  return words.graph.apply(augmentOp, { ...part, images: words.graph.imageLayout }, [words])[0]!;
}
