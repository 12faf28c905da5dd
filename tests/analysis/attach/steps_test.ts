import { deepStrictEqual } from "node:assert/strict";
import { HASH_SEED } from "../../../runtime/attach/hash.ts";
import { gather } from "../../../runtime/analysis/attach/recording.ts";
import { findPattern, findSteps } from "../../../runtime/analysis/attach/steps.ts";
import { type AttachRecord, type CutReason, TOTALS } from "../../../runtime/attach/records.ts";

const repeat = <T>(word: readonly T[], times: number): T[] => Array.from({ length: times }, () => word).flat();

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

/** Finds steps in stretches of a ms, each with a kernel's symbol and what ended it. */
function stepsOf(stretches: readonly (readonly [symbol: number, by: CutReason])[]): string[] {
  const device = { device: 0 };
  const records: AttachRecord[] = [
    { kind: "device", ...device, time: 0, label: "", adapter: "", timestamps: "none" },
    ...stretches.map(([symbol, by], i): AttachRecord => ({
      ...{ kind: "cut", ...device, by, name: null, start: i, end: i + 1, symbol, pending: 0, host: [] },
      ...{ totals: TOTALS.map((name) => name === "submits" && by === "submit" ? 1 : 0), memory: 0, peak: 0 },
    })),
  ];
  return findSteps(gather(records).devices[0]!, "auto").steps.map(({ from, to }) => `${from}-${to}`);
}

Deno.test("the readback after the last step is no part of it, unless others have one", () => {
  const submit = [1, "submit"] as const;
  const read = [0, "wait"] as const;
  deepStrictEqual(stepsOf([...repeat([submit], 4), read]), ["0-1", "1-2", "2-3", "3-4"]);
  deepStrictEqual(stepsOf(repeat([submit, read], 4)), ["0-2", "2-4", "4-6", "6-8"]);
  deepStrictEqual(stepsOf([...repeat([submit, read], 4), read]), ["0-2", "2-4", "4-6", "6-8"]);
});

Deno.test("kernels that share the label of their module have the entry point in their names", () => {
  const kernel = (kernel: number, label: string, entryPoint: string, hash: string): AttachRecord => ({
    ...{ kind: "kernel", device: 0, kernel, label, entryPoint, hash, does: "copy", line: null },
  });
  const { kernels } = gather([
    { kind: "device", device: 0, time: 0, label: "", adapter: "", timestamps: "none" },
    ...[kernel(0, "life", "evolve", "a1"), kernel(1, "life", "count", "a1"), kernel(2, "life", "evolve", "b2")],
    ...[kernel(3, "", "main", "c3"), kernel(4, "", "other", "c3")],
  ]).devices[0]!;
  deepStrictEqual(kernels.map(({ label }) => label), ["life: evolve", "life: count", "life", "", ""]);
});
