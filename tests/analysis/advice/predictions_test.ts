import assert from "node:assert/strict";
import { CASES } from "../../../bench/prediction_cases.ts";
import { RULES } from "../../../runtime/analysis/advice/advise.ts";

Deno.test("bench:predictions has a case for every rule, and every name in a case is a rule's", () => {
  const kinds = RULES.map(({ kind }) => kind);
  assert.equal(new Set(kinds).size, kinds.length, "two rules have the same kind");
  const scored = new Set(CASES.flatMap(({ rules }) => rules));
  assert.deepEqual(kinds.filter((kind) => !scored.has(kind)), [], "rules without a case in bench/prediction_cases.ts");
  const named = CASES.flatMap(({ rules, fixes = {} }) => [...rules, ...Object.keys(fixes)]);
  assert.deepEqual(named.filter((kind) => !kinds.includes(kind)), [], "names that are not rules");
});
