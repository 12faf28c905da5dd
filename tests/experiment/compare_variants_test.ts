import assert from "node:assert/strict";
import { compareVariants } from "../../runtime/experiment/compare_variants.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import type { VariantResult } from "../../runtime/result/schema.ts";
import { variant } from "../report/result_fixture.ts";
import { tiny } from "./running.ts";

const MEASURE = { steps: 5, skip: 3, maxSkip: 20, rounds: 2 };

/** Returns the steps of the final losses of variants that took these numbers of steps. */
function finalSteps(counts: Record<string, number>, measure: object = MEASURE, rest: Partial<VariantResult> = {}) {
  const scenario = resolveScenario(tiny({ measure }));
  const variants = Object.entries(counts).map(([name, count]) =>
    variant(name, { losses: Array.from({ length: count }, (_, step) => 9 - step / 10), ...name === "sink" ? rest : {} })
  );
  const compared = compareVariants({ ...scenario, tolerance: () => null }, variants, 0, null);
  return compared.variants.map(({ finalLoss }) => finalLoss?.step ?? null);
}

Deno.test("final losses are at a step that does not depend on the warm-up", () => {
  for (const warmUp of [3, 8, 20]) assert.deepEqual(finalSteps({ baseline: warmUp + 10, sink: 40 }), [12, 12]);
  assert.deepEqual(finalSteps({ baseline: 20, sink: 40 }, { ...MEASURE, rounds: 4, processes: 3 }), [12, 12]);
  assert.deepEqual(finalSteps({ baseline: 60, sink: 60 }, { ...MEASURE, precision: 0.05 }), [42, 42]);
});

Deno.test("where steps are missing, final losses are at the last step that all variants have", () => {
  assert.deepEqual(finalSteps({ baseline: 7, sink: 9 }), [6, 6]);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 2 }, MEASURE, { status: "failed" }), [12, null]);
  const every3 = Array.from({ length: 13 }, (_, step) => step % 3 === 0 ? 1 : null);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 13 }, MEASURE, { losses: [...every3.slice(0, 12), null] }), [9, 9]);
  assert.deepEqual(finalSteps({ baseline: 13, sink: 0 }), [12, null]);
});
