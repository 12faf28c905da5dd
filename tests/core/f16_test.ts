import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { DTYPE_BYTES, isFloat } from "../../runtime/core/dtype.ts";
import { decode, encode } from "../../runtime/core/f16.ts";

/** Decodes a half by the definition of IEEE 754. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

Deno.test("every half decodes to its IEEE 754 value and encodes to the same bits", () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const values = decode(bits.buffer, "f16");
  const again = new Uint16Array(encode(values, "f16"));
  for (let i = 0; i < bits.length; i++) {
    const wanted = half(i);
    assert.ok(Object.is(values[i], wanted), `${i}: ${values[i]}, expected ${wanted}`);
    if (!Number.isNaN(wanted)) assert.equal(again[i], i);
  }
});

Deno.test("f16 rounds to nearest, ties to even", () => {
  const round = (value: number) => decode(encode([value], "f16"), "f16")[0]!;
  assert.deepEqual([2049, 2051, 65504, 65519, 65520, 2 ** -25, 3 * 2 ** -25].map(round), [
    2048,
    2052,
    65504,
    65504,
    Infinity,
    0,
    2 ** -23,
  ]);
  fc.assert(fc.property(fc.float({ min: -60000, max: 60000, noNaN: true }), (value) => {
    const spacing = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(value) || 1))) - 10);
    assert.ok(Math.abs(round(value) - value) <= spacing / 2);
  }));
});

Deno.test("the other types round-trip", () => {
  assert.deepEqual([...decode(encode([1.5, -2, Infinity], "f32"), "f32")], [1.5, -2, Infinity]);
  assert.deepEqual([...decode(encode([-1, 7], "i32"), "i32")], [-1, 7]);
  assert.deepEqual([...decode(encode([0, 4294967295], "u32"), "u32")], [0, 4294967295]);
  for (const dtype of ["f32", "f16", "i32", "u32"] as const) {
    assert.equal(encode([1, 2, 3], dtype).byteLength, 3 * DTYPE_BYTES[dtype]);
    assert.equal(isFloat(dtype), dtype.startsWith("f"));
  }
});
