/**
 * Composition of functions of single values.
 *
 * @module
 */
import type { Point } from "./transform.ts";

/** Rounding to the nearest integer, halves up, clamped to 0..255. */
export const TO_U8: Point = { output: "u8", of: () => toByte };

/** Conversion of u8 values at the end of a chain: x / 255. */
export const TO_UNIT: Point = { output: "f32", of: () => (x) => Math.fround(x / 255) };

export function toByte(x: number): number {
  return x >= 254.5 ? 255 : x > 0 ? Math.floor(x + 0.5) : 0;
}

/** Returns the composition of `points` for a channel; the first runs first. */
export function compose(points: readonly Point[], channel: number): (x: number) => number {
  const functions = points.map((point) => point.of(channel));
  if (functions.length === 1) return functions[0]!;
  return (x) => functions.reduce((value, f) => f(value), x);
}

/** Tabulates `points` for bytes: entry 256 c + x is the result of x in channel c. */
export function tableOf(points: readonly Point[], channels: number): Float32Array {
  const table = new Float32Array(256 * channels);
  for (let c = 0; c < channels; c++) {
    const f = compose(points, c);
    for (let x = 0; x < 256; x++) table[c << 8 | x] = f(x);
  }
  return table;
}

/** Results of zero: entry `level * channels + c` has passed the points from `level` on, in channel c. */
export function zerosOf(points: readonly Point[], channels: number): Float32Array {
  const zeros = new Float32Array((points.length + 1) * channels);
  for (let level = 0; level <= points.length; level++) {
    for (let c = 0; c < channels; c++) zeros[level * channels + c] = compose(points.slice(level), c)(0);
  }
  return zeros;
}
