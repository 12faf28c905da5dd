import { checkConvolution as check } from "../support/conv_case.ts";
import { CASES, DEPTHWISE_CASES, F16_CASES, F16_DEPTHWISE_CASES, randomCase } from "../support/conv_cases.ts";

const ALL = { ...CASES, ...DEPTHWISE_CASES };

for (const [name, c] of Object.entries(ALL)) {
  Deno.test(`conv2d in NCHW, f32: ${name}`, () => check(name, c, "f32", 1, "f32", "nchw"));
}
for (const name of [...F16_CASES, ...F16_DEPTHWISE_CASES]) {
  Deno.test(`conv2d in NCHW, f16: ${name}`, () => check(name, ALL[name]!, "f16", 2, "f16", "nchw"));
}
for (let seed = 20; seed < 26; seed++) {
  Deno.test(`conv2d in NCHW, f32: random shape ${seed}`, () => {
    return check(`random ${seed}`, randomCase(seed), "f32", seed, "f32", "nchw");
  });
}
