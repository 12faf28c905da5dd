import { checkConvolution as check } from "../support/conv_case.ts";
import { CASES, F16_CASES } from "../support/conv_cases.ts";
import { full, sampled } from "../support/full.ts";

for (const name of sampled(F16_CASES, 5)) Deno.test(`conv2d f16: ${name}`, () => check(name, CASES[name]!, "f16"));

Deno.test("conv2d accepts tensors of different storage types", async () => {
  const options = { choices: full ? Infinity : 1 };
  await check("f16 weight", CASES["LeNet 2"]!, "f32", 7, "f16", "nhwc", options);
  await check("f32 weight", CASES["stride 2"]!, "f16", 8, "f32", "nhwc", options);
});
