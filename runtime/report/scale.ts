/** Mapping from values to positions. */
export type Scale = (value: number) => number;

/** Returns a linear scale. */
export function linearScale([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  const span = to - from || 1;
  return (value) => start + (value - from) / span * (end - start);
}

/**
 * Returns a logarithmic scale that clamps values to its domain.
 *
 * @param domain positive numbers
 */
export function logScale([from, to]: readonly [number, number], range: readonly [number, number]): Scale {
  const linear = linearScale([Math.log(from), Math.log(to)], range);
  return (value) => linear(Math.log(Math.min(to, Math.max(from, value))));
}

/** Returns about `count` round numbers from `from` to `to`. */
export function linearTicks(from: number, to: number, count: number): number[] {
  const step = niceStep((to - from) / Math.max(1, count));
  if (!(step > 0) || !Number.isFinite(step)) return [from];
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

/** Returns the powers of ten from `from` to `to`. */
export function decades(from: number, to: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
}

/** Returns the smallest 1, 2 or 5 times a power of ten that is not below `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}
