import { checkConvolution as check } from "../support/conv_case.ts";
import { CASES, F16_CASES, randomCase } from "../support/conv_cases.ts";
import { full, sampled } from "../support/full.ts";

// Most of their code is that of NHWC, which conv2d_test.ts runs with more cases
for (const [name, c] of sampled(Object.entries(CASES), 4, { seed: 1 })) {
  Deno.test(`conv2d in NCHW, f32: ${name}`, () => check(name, c, "f32", 1, "f32", "nchw"));
}
for (const name of sampled(F16_CASES, 2)) {
  Deno.test(`conv2d in NCHW, f16: ${name}`, () =>
    check(name, CASES[name]!, "f16", 2, "f16", "nchw", { choices: full ? Infinity : 1 }));
}
for (const seed of sampled([20, 21, 22, 23, 24, 25], 2)) {
  Deno.test(`conv2d in NCHW, f32: random shape ${seed}`, () => {
    return check(`random ${seed}`, randomCase(seed), "f32", seed, "f32", "nchw");
  });
}
