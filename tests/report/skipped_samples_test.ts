import assert from "node:assert/strict";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { result, variant } from "./result_fixture.ts";

Deno.test("the foot says how many samples of an evaluation were replaced", () => {
  const evaluation = (skipped: number) => ({ split: "test", step: 9, samples: 100, loss: 1, accuracy: 0.5, skipped });
  const foot = (skipped: number) =>
    renderMatrix(result([variant("baseline", { evaluations: [evaluation(skipped)] })]), {
      columns: null,
      color: false,
    });
  assert.match(
    foot(2),
    /accuracy on test data \(100 samples\) after step 9: baseline 50\.0 % \(2 samples skipped and\s+replaced\)/,
  );
  assert.match(foot(1), /50\.0 % \(1 sample skipped and\s+replaced\)/);
  assert.doesNotMatch(foot(0), /skipped/);
});
