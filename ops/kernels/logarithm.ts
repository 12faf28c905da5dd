/**
 * WGSL of exp and log to about one unit in the last place. WGSL allows its own exp an error of 3 + 2 |x| units, and a
 * software adapter's is one unit too large on average, which a loss does not average out. The polynomials are those of
 * Cephes' `expf` and `logf`, after a reduction by multiples of log(2) in two parts (W. Cody and W. Waite, 1980).
 *
 * @module
 */

/** `preciseExp(x)`: 0 below -87, where f32 has no normal numbers, and no larger than exp(88). */
export const PRECISE_EXP = `fn preciseExp(value: f32) -> f32 {
  let x = clamp(value, -87.0, 88.0);
  let k = round(x * 1.442695);
  let r = (x - k * 0.693359375) + k * 2.12194440e-4;
  let p = ((((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r
    + 1.6666665459e-1) * r + 0.5;
  let power = (p * r * r + r + 1.0) * bitcast<f32>((i32(k) + 127) << 23u);
  // Compilers may assume that value == value
  return select(select(power, 0.0, value < -87.0), value, (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u);
}`;

/** `preciseLog(x)` of a positive, normal x, infinity or NaN. */
export const PRECISE_LOG = `fn preciseLog(value: f32) -> f32 {
  // The mantissa is taken between sqrt(1/2) and sqrt(2)
  let bits = bitcast<u32>(value);
  let k = i32((bits + 0x004afb0du) >> 23u) - 127;
  let x = bitcast<f32>(bits - (u32(k) << 23u)) - 1.0;
  let z = x * x;
  let p = (((((((7.0376836292e-2 * x - 1.1514610310e-1) * x + 1.1676998740e-1) * x - 1.2420140846e-1) * x
    + 1.4249322787e-1) * x - 1.6668057665e-1) * x + 2.0000714765e-1) * x - 2.4999993993e-1) * x + 3.3333331174e-1;
  let near = (x + (p * x * z - f32(k) * 2.12194440e-4 - 0.5 * z)) + f32(k) * 0.693359375;
  return select(near, value, (bits & 0x7fffffffu) >= 0x7f800000u);
}`;
