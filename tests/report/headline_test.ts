import assert from "node:assert/strict";
import { headlineOf, headlineText } from "../../runtime/report/headline.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { comparison, judged } from "./judged_fixture.ts";
import { eventful, result, variant } from "./result_fixture.ts";

function headline(run: Result): string | null {
  const found = headlineOf(run);
  return found === null ? null : headlineText(found);
}

Deno.test("the headline names the fastest variant with its interval, and how many more are faster", () => {
  assert.equal(headline(judged()), "sink is ×1.08 (1.06-1.10) as fast as baseline.");
  const { variants, ...rest } = judged();
  const faster = variant("amp", { verdict: "faster", comparison: comparison(1.25, null, null) });
  assert.equal(
    headline({ ...rest, variants: [...variants, faster] }),
    "amp is ×1.25 as fast as baseline; 1 more variant is faster.",
  );
});

Deno.test("without a faster variant the headline says so, or is empty", () => {
  const unclear = variant("sink", { verdict: "unclear", comparison: comparison(1.2, 0.9, 1.5) });
  assert.equal(headline(result([variant("baseline"), unclear])), "No variant is clearly faster than baseline.");
  assert.equal(headline(eventful()), "– no verdict: this run did not compare its blocks.");
  assert.equal(headline(result([variant("baseline")])), null);
});
