import { needsImage } from "./image_checks.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, positiveInteger, flag, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("resize"),
    size: z.union([positiveInteger, z.tuple([positiveInteger, positiveInteger])], {
      error: "expected the shorter side in pixels, or [height, width]",
    }).describe("the shorter side in pixels, or [height, width]"),
    antialias: flag.default(true).describe("widen the filter when the image shrinks, so that every pixel counts"),
    delay,
  });

type ResizeSpec = SpecOf<typeof schema>;

export const resizeDef = defineTransform({
  kind: "resize",
  schema,
  output(spec, input, place) {
    needsImage(input, "resize", place);
    const { height: h, width: w } = input;
    if (typeof spec.size === "number" && (h === null || w === null)) {
      return { ...input, bytes: false, height: null, width: null };
    }
    const [height, width] = sizeOf(spec, h ?? 0, w ?? 0);
    return { ...input, bytes: false, height, width };
  },
  action(spec) {
    return {
      act: "resample",
      antialias: spec.antialias,
      move: null,
      size: (height, width) => sizeOf(spec, height, width),
    };
  },
});

/**
 * The image in another size, bilinear: a number is the shorter side (the other keeps the ratio, rounded down), a pair is
 * height and width. Pixels count by the distance of their centres. With `antialias` the filter widens as the image
 * shrinks, so that every pixel counts, as in Pillow and torchvision; without it a result is made of the 4 pixels around
 * it, which is faster and drops the rest. u8 stays u8, rounded once.
 *
 * @throws {InputError} if an option is invalid
 */
export function resize(
  size: number | [height: number, width: number],
  options: { antialias?: boolean } & DelayOption = {},
): ResizeSpec {
  return recordOf(resizeDef, { size, ...options });
}

/** One number is the shorter side; the other keeps the ratio and is rounded down. */
function sizeOf({ size }: ResizeSpec, height: number, width: number): readonly [number, number] {
  if (typeof size !== "number") return size;
  return height <= width
    ? [size, Math.max(1, Math.floor(size * width / height))]
    : [Math.max(1, Math.floor(size * height / width)), size];
}
