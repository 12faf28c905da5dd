import { deepStrictEqual } from "node:assert/strict";
import { HASH_SEED } from "../../../runtime/attach/hash.ts";
import { findPattern } from "../../../runtime/analysis/attach/steps.ts";

const repeat = (word: readonly number[], times: number) => Array.from({ length: times }, () => word).flat();

Deno.test("the period of a sequence is found after its set-up", () => {
  deepStrictEqual(findPattern([9, 8, ...repeat([1, 2, 3], 4)]), { period: 3, starts: [2, 5, 8, 11] });
});

Deno.test("equal layers within a step are no steps", () => {
  deepStrictEqual(findPattern([7, ...repeat([1, 1, 1, 1, 2], 4)])?.period, 5);
});

Deno.test("steps before and after an evaluation are found, and the evaluation is none", () => {
  const { period, starts } = findPattern([...repeat([1, 2], 5), 6, 6, 6, 6, ...repeat([1, 2], 4)])!;
  deepStrictEqual([period, starts], [2, [0, 2, 4, 6, 8, 14, 16, 18, 20]]);
});

Deno.test("what repeats twice, or has no kernels, is no pattern", () => {
  deepStrictEqual(findPattern([1, 2, 1, 2]), null);
  deepStrictEqual(findPattern(Array.from({ length: 20 }, () => HASH_SEED)), null);
  deepStrictEqual(findPattern(Array.from({ length: 50 }, (_, i) => i)), null);
});

Deno.test("an incomplete last step does not count", () => {
  deepStrictEqual(findPattern([...repeat([1, 2, 3], 3), 1, 2]), { period: 3, starts: [0, 3, 6] });
});
