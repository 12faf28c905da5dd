/**
 * Conversions between f32 and pairs of f16 in a word, for software adapters.
 *
 * @module
 */

/**
 * WGSL that packs four f32 as f16 into two words, rounded to nearest even like a conversion. `pack2x16float` may round
 * differently and took twice as long on lavapipe. The steps:
 *
 * - From 65536 on, and for infinities, the size is that of infinity; NaN keeps a mantissa.
 * - Subnormal numbers are rounded by an addition: the last bit of 0.5 + x is worth 2^-24.
 */
export const PACK_F16 = `fn packF16(v: vec4<f32>) -> vec2<u32> {
  let bits = bitcast<vec4<u32>>(v);
  let size = bits & vec4<u32>(0x7fffffffu);
  let nan = bitcast<vec4<i32>>(size) - vec4<i32>(0x38100000);
  let limited = bitcast<vec4<u32>>(max(nan, bitcast<vec4<i32>>(min(size, vec4<u32>(0x47800000u)))));
  let normal = (limited + vec4<u32>(0xc8000fffu) + ((limited >> vec4<u32>(13u)) & vec4<u32>(1u))) >> vec4<u32>(13u);
  let small = bitcast<vec4<u32>>(bitcast<vec4<f32>>(size) + vec4<f32>(0.5)) - vec4<u32>(0x3f000000u);
  let half = select(normal, small, size < vec4<u32>(0x38800000u));
  let low = half.xz | ((bits.xz >> vec2<u32>(16u)) & vec2<u32>(0x8000u));
  return low | (half.yw << vec2<u32>(16u)) | (bits.yw & vec2<u32>(0x80000000u));
}`;

/** WGSL like {@linkcode PACK_F16} for numbers from 0 to 1 and NaN, in two thirds of the instructions. */
export const PACK_UNIT_F16 = `fn packUnitF16(v: vec4<f32>) -> vec2<u32> {
  let bits = bitcast<vec4<u32>>(v);
  let normal = (bits + vec4<u32>(0xc8000fffu) + ((bits >> vec4<u32>(13u)) & vec4<u32>(1u))) >> vec4<u32>(13u);
  let small = bitcast<vec4<u32>>(v + vec4<f32>(0.5)) - vec4<u32>(0x3f000000u);
  let isSmall = bitcast<vec4<i32>>(bits) < vec4<i32>(0x38800000);
  let half = min(select(normal, small, isSmall), vec4<u32>(0x7e00u));
  return half.xz | (half.yw << vec2<u32>(16u));
}`;

/**
 * WGSL that returns f16 numbers widened to f32. `zero` is 0, which the compiler must not know ({@linkcode HIDDEN_ZERO}):
 * LLVM narrows comparisons, `min` and `max` of widened numbers to f16, for which processors have no instructions, and
 * computes them one by one. On lavapipe a maximum over rows took twice as long.
 */
export const WIDEN_F16 = `fn widenF16(wide: vec4<f32>, zero: u32) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(wide) | vec4<u32>(zero));
}`;

/** WGSL that unpacks four f16 from two words, like {@linkcode WIDEN_F16}. */
export const UNPACK_F16 = `fn unpackF16(words: vec2<u32>, zero: u32) -> vec4<f32> {
  let wide = vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(wide) | vec4<u32>(zero));
}`;

/** WGSL expression for 0 in a kernel's body, from the number of workgroups. */
export const HIDDEN_ZERO = "(grid.z >> 31u)";
