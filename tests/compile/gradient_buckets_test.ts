import { deepStrictEqual } from "node:assert/strict";
import { bucketsOf } from "../../runtime/compile/gradient_buckets.ts";
import type { Plan } from "../../runtime/compile/plan.ts";

/** A plan whose backward pass writes the gradients at these offsets, in order. Each parameter has 256 bytes. */
function planWriting(offsets: readonly number[], parameters: number): Pick<Plan, "segments" | "parameters"> {
  const dispatches = offsets.map((offset) => ({ bindings: [{ buffer: "gradients", offset, size: 256 }] }));
  const entries = Array.from({ length: parameters }, (_, i) => ({ name: `p${i}`, offset: i * 256, size: 256 }));
  return { segments: [{ phase: "backward", dispatches }], parameters: { entries } } as unknown as Plan;
}

Deno.test("buckets follow the backward pass, join neighbours, and leave out what has no gradient", () => {
  deepStrictEqual(bucketsOf(planWriting([768, 512, 0], 4), 512), [
    { ranges: [{ offset: 512, size: 512 }], bytes: 512, parameters: 2, last: 1 },
    { ranges: [{ offset: 0, size: 256 }], bytes: 256, parameters: 1, last: 2 },
  ]);
});

Deno.test("a gradient that is written twice is complete after the second time", () => {
  deepStrictEqual(bucketsOf(planWriting([0, 256, 0], 2), 1).map(({ ranges }) => ranges[0]!.offset), [256, 0]);
});
