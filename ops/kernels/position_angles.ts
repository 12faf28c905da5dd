/**
 * Angles of positions: position p and frequency w have the angle p w (A. Vaswani et al., 2017).
 *
 * @module
 */
import type { UniformValue } from "../../runtime/device/kernel.ts";
import { SINE } from "./sine.ts";

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
