import { needsImage } from "./image_checks.ts";
import type { ResizeSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `resize` in factories.ts. */
export const resizeDef: TransformDef<ResizeSpec> = {
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
};

/** One number is the shorter side; the other keeps the ratio and is rounded down. */
function sizeOf({ size }: ResizeSpec, height: number, width: number): readonly [number, number] {
  if (typeof size !== "number") return size;
  return height <= width
    ? [size, Math.max(1, Math.floor(size * width / height))]
    : [Math.max(1, Math.floor(size * height / width)), size];
}
