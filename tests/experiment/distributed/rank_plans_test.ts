import { deepStrictEqual } from "node:assert/strict";
import { planDifferences } from "../../../runtime/experiment/distributed/rank_plans.ts";

const facts = { parameters: { "0.weight": "12x8", "0.bias": "12" }, weights: null, fingerprint: "f00" };

Deno.test("ranks whose models differ are told which parameters, or that the rest of the plan differs", () => {
  deepStrictEqual(planDifferences(facts, facts), []);
  deepStrictEqual(planDifferences({ ...facts, fingerprint: "f01", parameters: { "0.weight": "13x8" } }, facts), [
    "0.weight is 13x8 instead of 12x8",
    "0.bias is missing instead of 12",
  ]);
  deepStrictEqual(planDifferences({ ...facts, weights: "a", fingerprint: "f01" }, facts), [
    "the file of weights has other contents",
    "the plan has other ops, constants or kernels",
  ]);
});
