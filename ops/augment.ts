import { type DevicePart, WINDOW_WORDS } from "../runtime/data/transforms/transform.ts";
import { defineKernel, LINEAR_INDEX, linearGrid } from "../runtime/device/kernel.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { activation, type ImageLayout } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { vectorLoop } from "./kernels/elementwise.ts";

/** Invocations per workgroup on software adapters: the lanes of a vector. */
const LANES = 8;

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
    const { words, channels, sourceHeight, sourceWidth, height, width, table } = attrs;
    const rows = outputs[0]!.shape[0]! * height;
    const uniforms = { words, channels, sourceHeight, sourceWidth, height, width, table: { table } };
    const kernel = defineKernel({
      name: `augment.${attrs.order}.${attrs.images === "nchw" ? "planes" : "pixels"}`,
      buffers: { x_: { ref: { input: 0 }, type: "u32" }, y_: { ref: { output: 0 }, type: "f32" } },
      ...traits.class === "cpu"
        ? {
          uniforms: { rows, ...uniforms },
          workgroupSize: [LANES],
          grid: linearGrid(rows, LANES, traits.maxWorkgroupsPerDimension),
          body: `  let row = ${LINEAR_INDEX(LANES)};
  if (row >= u.rows) { return; }
${WINDOW}
  for (var column = 0u; column < u.width; column++) {
    ${pixel(attrs)}
  }`,
        }
        : vectorLoop(
          rows * width,
          traits,
          `let row = i / u.width;
    let column = i % u.width;
${WINDOW}
    ${pixel(attrs)}`,
          uniforms,
        ),
    });
    return [{ name: kernel.name, kernels: [kernel], workspace: [] }];
  },
};

/** WGSL that reads the window of a row. Software adapters, whose reads are slow, read it once for all pixels of the row. */
const WINDOW = `  let image = row / u.height;
  let sample = image * u.words;
  let at = sample + u.words - ${WINDOW_WORDS}u;
  let y = bitcast<i32>(x_[at]) + i32(row % u.height);
  let left = bitcast<i32>(x_[at + 1u]);
  let step = bitcast<i32>(x_[at + 2u]);
  let rowInside = y >= bitcast<i32>(x_[at + 3u]) && y < bitcast<i32>(x_[at + 4u]);
  let firstInside = bitcast<i32>(x_[at + 5u]);
  let endInside = bitcast<i32>(x_[at + 6u]);`;

/** Returns WGSL that writes the pixel at `column` of a row. */
function pixel({ order, images }: AugmentAttrs): string {
  const place = order === "hwc"
    ? "u32(y * i32(u.sourceWidth) + x) * u.channels + c"
    : "(c * u.sourceHeight + u32(y)) * u.sourceWidth + u32(x)";
  const index = images === "nchw"
    ? "((image * u.channels + c) * u.height + row % u.height) * u.width + column"
    : "(row * u.width + column) * u.channels + c";
  return `let x = left + i32(column) * step;
    let inside = rowInside && x >= firstInside && x < endInside;
    for (var c = 0u; c < u.channels; c++) {
      var value = 0u;
      if (inside) {
        let place = ${place};
        value = (x_[sample + place / 4u] >> (place % 4u * 8u)) & 255u;
      }
      let entry = c * 256u + value;
      y_[${index}] = u.table[entry / 4u][entry % 4u];
    }`;
}

/** Returns images `[n, channels, height, width]` from the words `[n, part.words]` that a loader has made. */
export function augment(words: Tensor, part: DevicePart): Tensor {
  return words.graph.apply(augmentOp, { ...part, images: words.graph.imageLayout }, [words])[0]!;
}
