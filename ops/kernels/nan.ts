/**
 * Returns WGSL that tests four numbers for NaN by their bits: compilers may assume that x == x, and WGSL's min, max and
 * clamp may return the operand that is a number.
 *
 * @param x expression of a `vec4<f32>`
 */
export function isNan(x: string): string {
  return `((bitcast<vec4<u32>>(${x}) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u))`;
}

/** Returns WGSL of max(x, 0) of a `vec4<f32>`, in which NaN stays NaN: the bits from -0 to minus infinity become 0. */
export function rectified(x: string): string {
  return `select(${x}, vec4<f32>(0.0), (bitcast<vec4<u32>>(${x}) - vec4<u32>(0x80000000u)) <= vec4<u32>(0x7f800000u))`;
}
