import { InputError } from "../runtime/core/errors.ts";
import type { Tensor } from "../runtime/graph/op.ts";
import type { Pair } from "./conv_geometry.ts";
import { axisTaps, defineResampling, type ResampleAttrs } from "./resample2d.ts";
import { asImages } from "./to_layout.ts";

export interface UpsampleAttrs extends ResampleAttrs {
  /** Source pixels per pixel of the result. */
  readonly ratio: Pair;
}

export interface UpsampleBilinearAttrs extends UpsampleAttrs {
  /** True if the corner pixels of source and result coincide; false if their outer edges do. */
  readonly alignCorners: boolean;
}

/** Images in another size: pixel i is source pixel floor(i ratio), as in PyTorch's `interpolate`. Input: x. */
export const upsampleNearestOp = defineResampling<UpsampleAttrs>({
  type: "upsample_nearest",
  aliases: { nnc: "Interpolate", paddle: "nearest_interp_v2", mindinsight: "ResizeNearestNeighbor" },
  tapsOf({ source, target, ratio }, axis) {
    const n = source[axis];
    return axisTaps(
      n,
      target[axis],
      (at) => ({ first: Math.min(Math.floor(at * ratio[axis]), n - 1), weights: [1] }),
    );
  },
});

/**
 * Images in another size, as PyTorch's `interpolate`: the source's position is (i + 1/2) ratio - 1/2, at least 0, or
 * i (source - 1) / (target - 1) with aligned corners. Input: x.
 */
export const upsampleBilinearOp = defineResampling<UpsampleBilinearAttrs>({
  type: "upsample_bilinear",
  aliases: { nnc: "Interpolate", paddle: "bilinear_interp_v2", mindinsight: "ResizeBilinear" },
  tapsOf({ source, target, alignCorners, ratio }, axis) {
    const [n, size] = [source[axis], target[axis]];
    return axisTaps(n, size, (at) => {
      const place = alignCorners
        ? size === 1 ? 0 : at * (n - 1) / (size - 1)
        : Math.max(0, (at + 0.5) * ratio[axis] - 0.5);
      const first = Math.min(Math.floor(place), n - 1);
      return first === n - 1 ? { first, weights: [1] } : { first, weights: [1 - (place - first), place - first] };
    });
  },
});

/** Options of {@linkcode upsample}: either a size or a factor. */
export interface UpsampleSettings {
  /** Height and width of the result. */
  readonly size?: Pair | undefined;
  /** Factors of height and width; the result has floor(factor size) pixels. */
  readonly scaleFactor?: Pair | undefined;
  readonly mode?: "nearest" | "bilinear";
  readonly alignCorners?: boolean;
}

/**
 * Returns images `[n, c, h, w]` in another size.
 *
 * @throws {InputError} unless exactly one of `size` and `scaleFactor` is given
 */
export function upsample(x: Tensor, settings: UpsampleSettings): Tensor {
  const { size, scaleFactor, mode = "nearest", alignCorners = false } = settings;
  if ((size === undefined) === (scaleFactor === undefined)) {
    throw new InputError("upsample expects either size or scaleFactor");
  }
  const images = asImages(x);
  const source = images.shape.slice(2) as unknown as Pair;
  const target = size ?? source.map((n, i) => Math.floor(n * scaleFactor![i]!)) as unknown as Pair;
  const ratio = target.map((n, i) => scaleFactor === undefined ? source[i]! / n : 1 / scaleFactor[i]!);
  const attrs = { source, target, ratio: ratio as unknown as Pair };
  const { graph } = x;
  return mode === "nearest"
    ? graph.apply(upsampleNearestOp, attrs, [images])[0]!
    : graph.apply(upsampleBilinearOp, { ...attrs, alignCorners }, [images])[0]!;
}
