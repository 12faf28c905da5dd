import { deepEqual, equal } from "node:assert/strict";
import { EXACT } from "../../../runtime/analysis/comparison/outputs.ts";
import { compareOutputs, outputReason } from "../../../runtime/analysis/comparison/compare_outputs.ts";
import { outputToleranceOf } from "../../../runtime/experiment/tolerance.ts";
import { runScenario, tiny } from "../running.ts";

Deno.test("variants that train nothing are compared by what their model computes", async () => {
  const { variants } = await runScenario(tiny({
    ...{ optimizer: null, mode: "infer", measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2 } },
    variants: { baseline: {}, kernels: { compile: { fusion: false } }, sink: { sink: 2 }, half: { amp: "O3" } },
  }));
  const agreed = { compared: 1, difference: null };
  deepEqual(variants.map(({ outputs }) => outputs ?? null), [null, agreed, agreed, agreed]);
});

Deno.test("the settings that differ decide how close the outputs of variants must be", () => {
  deepEqual(outputToleranceOf({ smoothed: 0, first: 1e-3 }, EXACT), EXACT);
  deepEqual(outputToleranceOf({ smoothed: 0.3, first: 1e-3 }, EXACT), { relative: 1e-3, absolute: 0 });
  deepEqual(outputToleranceOf({ smoothed: 0.3, first: null }, EXACT), { relative: 0.05, absolute: 0 });
  equal(outputToleranceOf(null, EXACT), null, "another model");
  const given = { relative: 0.5, absolute: 1 };
  deepEqual(outputToleranceOf({ smoothed: 0, first: null }, given), given);
});

Deno.test("an arm that reports fewer outputs than the baseline differs; a baseline without any compares nothing", () => {
  const outputs = compareOutputs([1], [1, 2], EXACT)!;
  deepEqual(outputs, { compared: 1, difference: { where: "output 2", value: "missing", baseline: "there" } });
  equal(
    outputReason({ outputs }, "a"),
    "the outputs differ: output 2 is missing, of a there; measure.outputs (--output-tolerance) accepts rounding",
  );
  equal(compareOutputs([1], [], EXACT), undefined);
});
