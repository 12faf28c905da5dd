import { z } from "zod";
import { adaptiveAvgPool2d as poolToSize } from "../../ops/adaptive_avg_pool2d.ts";
import { upsample as resize } from "../../ops/upsample.ts";
import { positiveInteger } from "../data/checked.ts";
import type { MarkedLayer } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions, positivePair, type Size } from "./options.ts";

/** Options of {@linkcode upsample}: either `size` or `scaleFactor`, as a number or `[height, width]`. */
export interface UpsampleOptions {
  /** Height and width of the result. */
  size?: Size;
  /** Factor of height and width. */
  scaleFactor?: Size;
  /** Default: `nearest`. */
  mode?: "nearest" | "bilinear";
  /** The corner pixels of input and result coincide; for `bilinear` only. Default: false. */
  alignCorners?: boolean;
}

const factor = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" });

const upsampleSchema = z.strictObject({
  size: positivePair.optional(),
  scaleFactor: z.union([factor, z.tuple([factor, factor])], { error: "expected a number or [height, width]" })
    .transform((n): [number, number] => typeof n === "number" ? [n, n] : n).optional(),
  mode: z.enum(["nearest", "bilinear"], { error: 'expected "nearest" or "bilinear"' }).default("nearest"),
  alignCorners: z.boolean({ error: "expected true or false" }).default(false),
})
  .refine(({ size, scaleFactor }) => (size === undefined) !== (scaleFactor === undefined), {
    error: "expected either size or scaleFactor",
  })
  .refine(({ mode, alignCorners }) => mode === "bilinear" || !alignCorners, {
    path: ["alignCorners"],
    error: 'expected false unless mode is "bilinear"',
  });

/**
 * Creates a layer that changes the size of images `[n, c, h, w]`, like PyTorch's `Upsample`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function upsample(options: UpsampleOptions): MarkedLayer {
  const settings = layerOptions("upsample", upsampleSchema, options);
  return plainLayer({ type: "upsample", apply: (x) => resize(x, settings) });
}

const side = positiveInteger.nullable();
const poolSchema = z.strictObject({
  size: z.union([positiveInteger, z.tuple([side, side])], {
    error: "expected a whole number of at least 1, or [height, width]; null keeps a size",
  }).transform((n): [number | null, number | null] => typeof n === "number" ? [n, n] : n),
});

/**
 * Creates an average pooling to a size, like PyTorch's `AdaptiveAvgPool2d`: `[n, c, h, w]` to `[n, c, ...size]`.
 *
 * @param size height and width of the result, or one number for both; null keeps the input's
 * @throws {InputError} if the size is invalid; on application, if the input has another rank
 */
export function adaptiveAvgPool2d(size: number | readonly [height: number | null, width: number | null]): MarkedLayer {
  const settings = layerOptions("adaptiveAvgPool2d", poolSchema, {}, { size });
  return plainLayer({ type: "adaptive_avg_pool2d", apply: (x) => poolToSize(x, settings.size) });
}
