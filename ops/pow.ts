import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise, type Operand } from "./elementwise_op.ts";
import { isNan } from "./kernels/nan.ts";

/**
 * WGSL of a^b with C's results for zeros, infinities and NaN. `pow` is undefined for a negative base, for which b must be
 * whole; other results are NaN. It also gives 0 for 0^b with b < 0, and loses precision as |b log a| grows, so that whole
 * exponents up to 8 are multiplied.
 */
const POWER = `fn power(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let whole = round(b);
  let odd = abs(whole - 2.0 * floor(0.5 * whole)) == vec4<f32>(1.0);
  let size = select(pow(abs(a), b), 1.0 / abs(a), (a == vec4<f32>(0.0)) & (b < vec4<f32>(0.0)));
  let exact = select(size, powerOfWhole(abs(a), whole), (b == whole) & (abs(b) <= vec4<f32>(8.0)));
  let bits = bitcast<vec4<u32>>(a);
  let signed = select(exact, -exact, odd & (bits >= vec4<u32>(0x80000000u)));
  let negativeFinite = (bits - vec4<u32>(0x80000001u)) < vec4<u32>(0x7f7fffffu);
  let real = select(signed, sqrt(a - 1.0), negativeFinite & (b != whole));
  let number = select(real, a + b, ${isNan("a")} | ${isNan("b")});
  return select(number, vec4<f32>(1.0), (b == vec4<f32>(0.0)) | (a == vec4<f32>(1.0)));
}
fn powerOfWhole(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let n = vec4<u32>(min(abs(b), vec4<f32>(8.0)));
  let a2 = a * a;
  let a4 = a2 * a2;
  let one = vec4<f32>(1.0);
  let zero = vec4<u32>(0u);
  let product = select(one, a, (n & vec4<u32>(1u)) != zero) * select(one, a2, (n & vec4<u32>(2u)) != zero) *
    select(one, a4, (n & vec4<u32>(4u)) != zero) * select(one, a4 * a4, (n & vec4<u32>(8u)) != zero);
  return select(product, 1.0 / product, b < vec4<f32>(0.0));
}`;

/** y = a^b; da = dy b a^(b - 1), db = dy y log a, which is 0 for a = 0 and b >= 0. */
export const powOp = defineElementwise({
  type: "pow",
  aliases: { nnc: "Pow2", paddle: "elementwise_pow", mindinsight: "Pow" },
  precision: "wide",
  operands: ["a", "b"],
  prelude: [POWER],
  value: "power(a, b)",
  gradients: {
    a: {
      from: ["a", "b"],
      value: "dy * select(b * power(a, b - 1.0), vec4<f32>(0.0), b == vec4<f32>(0.0))",
      flops: 4,
    },
    b: {
      from: ["a", "b", "y"],
      value: "dy * select(y * log(a), vec4<f32>(0.0), (a == vec4<f32>(0.0)) & (b >= vec4<f32>(0.0)))",
      flops: 3,
    },
  },
  flops: 1,
});

/** Returns `a` to the power of `b`; NaN for a negative `a` unless `b` is a whole number. */
export function pow(a: Operand, b: Operand): Tensor {
  return applyElementwise(powOp, [a, b]);
}
