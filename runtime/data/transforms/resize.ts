import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { ResizeOptions, ResizeSpec } from "./types.ts";

const schema = ({ record, z, positiveInteger, antialias }: SchemaKit) =>
  record("resize", {
    size: z.union([positiveInteger, z.tuple([positiveInteger, positiveInteger])], {
      error: "expected the shorter side in pixels, or [height, width]",
    }).describe("the shorter side in pixels, or [height, width]"),
    antialias,
  });

export const resizeDef = defineTransform({
  kind: "resize",
  schema,
  needsImage: true,
  output(spec, input) {
    const { height: h, width: w } = input;
    if (typeof spec.size === "number" && (h === null || w === null)) {
      return { ...input, bytes: false, height: null, width: null };
    }
    const [height, width] = resizedSize(spec, h ?? 0, w ?? 0);
    return { ...input, bytes: false, height, width };
  },
  action: (spec) => ({
    act: "resample",
    antialias: spec.antialias,
    move: null,
    size: (height, width) => resizedSize(spec, height, width),
  }),
});

/**
 * Resizes the image with bilinear interpolation. A number sets the shorter side and keeps the aspect ratio, rounding the
 * other side down; a pair sets height and width.
 *
 * With `antialias` the filter widens as the image shrinks, so that every pixel contributes, as in Pillow and torchvision.
 * Without it a result pixel depends on the 4 pixels around it, which is faster and drops the rest. u8 images stay u8,
 * rounded once.
 *
 * @throws {InputError} if an option is invalid
 */
export function resize(
  size: number | [height: number, width: number],
  options: ResizeOptions = {},
): ResizeSpec {
  return recordOf(resizeDef, options, { size });
}

function resizedSize({ size }: ResizeSpec, height: number, width: number): readonly [number, number] {
  if (typeof size !== "number") return size;
  return height <= width
    ? [size, Math.max(1, Math.floor(size * width / height))]
    : [Math.max(1, Math.floor(size * height / width)), size];
}
