import { type Tape, Value } from "./value.ts";

/** Resizes images `[n, c, h, w]` like `torch.nn.Upsample` with `mode="bilinear"` and `align_corners=True`. */
export function bilinear(tape: Tape, x: Value, [oh, ow]: readonly [number, number]): Value {
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const y = Value.zeros([n, c, oh, ow]);
  /** Returns the two neighbours of a position and their weights. */
  const neighbours = (at: number, from: number, to: number): [number, number][] => {
    const place = to > 1 ? at * (from - 1) / (to - 1) : 0;
    const low = Math.min(Math.floor(place), from - 1);
    return [[low, 1 - (place - low)], [Math.min(low + 1, from - 1), place - low]];
  };
  const sources = Array.from(y.data, (_, i) => {
    const [column, row, plane] = [i % ow, Math.floor(i / ow) % oh, Math.floor(i / ow / oh)];
    return neighbours(row, h, oh).flatMap(([r, a]) =>
      neighbours(column, w, ow).map(([s, b]) => ({ at: (plane * h + r) * w + s, weight: a * b }))
    );
  });
  sources.forEach((parts, i) => parts.forEach(({ at, weight }) => y.data[i]! += weight * x.data[at]!));
  tape.record(() => {
    sources.forEach((parts, i) => parts.forEach(({ at, weight }) => x.grad[at]! += weight * y.grad[i]!));
  });
  return y;
}
