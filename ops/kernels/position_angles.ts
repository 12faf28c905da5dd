/**
 * Angles of positions: position p and frequency w have the angle p w (A. Vaswani et al., 2017).
 *
 * @module
 */

import type { UniformValue } from "../../runtime/device/kernel.ts";

/**
 * WGSL of sin and cos by quadrants: WGSL's own are precise to 2^-11 within one turn only. The argument is reduced by
 * multiples of pi / 2 in three parts (W. Cody and W. Waite, 1980); the polynomials are those of Cephes' `sinf` and
 * `cosf`. Precise for |x| below about 8000.
 */
export const SINE = `fn sineAt(x: vec4<f32>, quarter: f32) -> vec4<f32> {
  let turns = round(x * 0.63661977);
  let r = ((x - turns * 1.5703125) - turns * 4.837512969970703125e-4) - turns * 7.549789948768648e-8;
  let quadrant = (vec4<i32>(turns) + vec4<i32>(i32(quarter))) & vec4<i32>(3);
  let z = r * r;
  let sine = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
  let cosine = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  let value = select(sine, cosine, (quadrant & vec4<i32>(1)) != vec4<i32>(0));
  return select(value, -value, (quadrant & vec4<i32>(2)) != vec4<i32>(0));
}`;

/** Positions from which products with a frequency's first part are no longer exact. */
export const MAX_POSITIONS = 65_536;

/**
 * WGSL of `angleOf(position, k)` in radians, for four positions and frequencies, and of `sineAt`. A frequency is stored in
 * turns as a part of 8 bits, whose products with positions are exact, and a rest, so that the angle is reduced to one turn
 * before it is rounded.
 */
export const ANGLES = `${SINE}
fn angleOf(position: vec4<u32>, k: vec4<u32>) -> vec4<f32> {
  let at = k / 2u;
  let odd = (k & vec4<u32>(1u)) == vec4<u32>(1u);
  let a = u.turns[at.x];
  let b = u.turns[at.y];
  let c = u.turns[at.z];
  let d = u.turns[at.w];
  let p = vec4<f32>(position);
  let coarse = p * select(vec4<f32>(a.x, b.x, c.x, d.x), vec4<f32>(a.z, b.z, c.z, d.z), odd);
  let fine = p * select(vec4<f32>(a.y, b.y, c.y, d.y), vec4<f32>(a.w, b.w, c.w, d.w), odd);
  let turns = (coarse - round(coarse)) + fine;
  return 6.2831853 * (turns - round(turns));
}`;

/**
 * Returns the uniform that {@linkcode ANGLES} reads, which comes last.
 *
 * @param frequencies radians per position
 */
export function turnsTable(frequencies: readonly number[]): Readonly<Record<"turns", UniformValue>> {
  const table = frequencies.map((frequency) => {
    const turns = frequency / (2 * Math.PI);
    const unit = 2 ** (Math.floor(Math.log2(turns)) - 7);
    const coarse = Math.floor(turns / unit) * unit;
    return [coarse, turns - coarse];
  }).flat();
  return { turns: { table } };
}
