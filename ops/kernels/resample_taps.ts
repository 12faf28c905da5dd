/** Weights of the source pixels that a pixel of the result is the sum of, along one axis. */
export interface Taps {
  /** First source pixel. */
  readonly first: number;
  /** Weights of that and the following source pixels. */
  readonly weights: readonly number[];
}

/** Taps of each pixel along an axis. */
export interface AxisTaps {
  readonly taps: readonly Taps[];
  /** Pixels along the source's axis. */
  readonly source: number;
  /** Largest number of taps of a pixel. */
  readonly most: number;
}

/** Returns the taps of an axis of `target` pixels. */
export function axisTaps(source: number, target: number, tapsOf: (at: number) => Taps): AxisTaps {
  const taps = Array.from({ length: target }, (_, at) => tapsOf(at));
  return { taps, source, most: taps.reduce((most, { weights }) => Math.max(most, weights.length), 0) };
}

/** Returns the taps of the gradient: the weights of the result's pixels in each source pixel. */
export function transposedTaps({ taps, source }: AxisTaps): AxisTaps {
  const users = Array.from({ length: source }, () => new Map<number, number>());
  taps.forEach(({ first, weights }, at) => {
    weights.forEach((weight, i) => users[first + i]!.set(at, (users[first + i]!.get(at) ?? 0) + weight));
  });
  return axisTaps(taps.length, source, (at) => {
    const places = [...users[at]!.keys()];
    if (places.length === 0) return { first: 0, weights: [] };
    // In ascending order, since the pixels of the result are
    const [first, last] = [places[0]!, places.at(-1)!];
    return {
      first,
      weights: Array.from({ length: last - first + 1 }, (_, i) => users[at]!.get(first + i) ?? 0),
    };
  });
}
