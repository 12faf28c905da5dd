import assert from "node:assert/strict";
import { rule } from "../../../runtime/analysis/advice/rule.ts";
import { apply, input, measured, pipeline } from "./fixture.ts";

const advice = { message: "", evidence: [], changes: [], reasoning: "" };

Deno.test("a rule applies only if everything it needs was measured", () => {
  const needy = rule("needy", ["device", "pipeline"], ({ pipeline }) => ({ ...advice, gain: pipeline.batches }));
  assert.equal(apply(needy, input(measured({}, { pipeline: pipeline(1) })))?.predicted?.gain, 60);
  assert.equal(apply(needy, input(measured())), null);
});

Deno.test("a gain of less than 1 % is not reported", () => {
  const gains = (gain: number) => apply(rule("gain", [], () => ({ ...advice, gain })), input(measured()));
  assert.equal(gains(1.01)?.severity, "info");
  assert.deepEqual([gains(1.009), gains(Infinity), gains(NaN)], [null, null, null]);
});
