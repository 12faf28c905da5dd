import assert from "node:assert/strict";
import { rule } from "../../../runtime/analysis/advice/rule.ts";
import { applied, pipeline } from "./fixture.ts";

const advice = { message: "", evidence: [], changes: [], reasoning: "" };

Deno.test("a rule applies only if everything it needs was measured", () => {
  const needy = rule("needy", ["device", "pipeline"], ({ pipeline }) => ({ ...advice, gain: pipeline.batches }));
  assert.equal(applied(needy, {}, { pipeline: pipeline(1) })?.predicted?.gain, 60);
  assert.equal(applied(needy, {}), null);
});

Deno.test("a gain of less than 1 % is not reported", () => {
  const gains = (gain: number) => applied(rule("gain", [], () => ({ ...advice, gain })), {});
  assert.equal(gains(1.01)?.severity, "info");
  assert.deepEqual([gains(1.009), gains(Infinity), gains(NaN)], [null, null, null]);
});
