import type { Tensor } from "../runtime/graph/op.ts";
import type { Pair } from "./conv_geometry.ts";
import { axisTaps, defineResampling, type ResampleAttrs } from "./resample2d.ts";
import { asImages } from "./to_layout.ts";

/** Pixel i of the result is the mean of the source's rows floor(i n / size) to ceil((i + 1) n / size), exclusive. Input: x. */
export const adaptiveAvgPool2dOp = defineResampling<ResampleAttrs>({
  type: "adaptive_avg_pool2d",
  aliases: { nnc: "AveragePooling", paddle: "pool2d", mindinsight: "AdaptiveAvgPool2D" },
  tapsOf({ source, target }, axis) {
    const [n, size] = [source[axis], target[axis]];
    return axisTaps(n, size, (at) => {
      const first = Math.floor(at * n / size);
      const count = Math.ceil((at + 1) * n / size) - first;
      return { first, weights: new Array<number>(count).fill(1 / count) };
    });
  },
});

/** Returns means of images `[n, c, h, w]` such that the result has the given height and width; null keeps a size. */
export function adaptiveAvgPool2d(x: Tensor, size: readonly [number | null, number | null]): Tensor {
  const images = asImages(x);
  const source = images.shape.slice(2) as unknown as Pair;
  const target = source.map((n, i) => size[i] ?? n) as unknown as Pair;
  return x.graph.apply(adaptiveAvgPool2dOp, { source, target }, [images])[0]!;
}
