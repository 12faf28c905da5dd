/**
 * Returns WGSL that tests numbers for NaN by their bits: compilers may assume that x == x, and WGSL's min, max and clamp
 * may return the operand that is a number.
 *
 * @param x expression of a `vec4<f32>`, or of an `f32` for a width of 1
 */
export function isNan(x: string, width: 1 | 4 = 4): string {
  const word = (bits: string) => width === 1 ? bits : `vec4<u32>(${bits})`;
  return `((bitcast<${width === 1 ? "u32" : "vec4<u32>"}>(${x}) & ${word("0x7fffffffu")}) > ${word("0x7f800000u")})`;
}

/** Returns WGSL of max(x, 0) of a `vec4<f32>`, in which NaN stays NaN: the bits from -0 to minus infinity become 0. */
export function rectified(x: string): string {
  return `select(${x}, vec4<f32>(0.0), (bitcast<vec4<u32>>(${x}) - vec4<u32>(0x80000000u)) <= vec4<u32>(0x7f800000u))`;
}
