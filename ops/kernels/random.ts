/**
 * Keyed random numbers on the device.
 *
 * @module
 */

/**
 * WGSL twin of `pcg4d` in `runtime/core/random.ts`, bit for bit: mixes four words into four random words (M. Jarzynski
 * and M. Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020).
 */
export const PCG4D = `fn pcg4d(key: vec4<u32>) -> vec4<u32> {
  var v = key * 1664525u + 1013904223u;
  v.x += v.y * v.w;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  v.w += v.y * v.z;
  v ^= v >> vec4<u32>(16u);
  v.x += v.y * v.w;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  v.w += v.y * v.z;
  return v;
}`;
