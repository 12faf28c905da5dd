import assert from "node:assert/strict";
import { headlineText } from "../../runtime/report/headline.ts";
import type { Result, VariantResult } from "../../runtime/result/schema.ts";
import { comparison, judged } from "./judged_fixture.ts";
import { eventful, result, variant } from "./result_fixture.ts";

function headline(run: Result): string | null {
  const text = headlineText(run);
  return text === "" ? null : text;
}

/** Headline of variants beside a baseline, each with its verdict and comparison. */
function of(...others: [string, VariantResult["verdict"], ReturnType<typeof comparison>][]): string | null {
  const variants = others.map(([name, verdict, comparison]) => variant(name, { verdict, comparison }));
  return headline(result([variant("baseline"), ...variants]));
}

Deno.test("the headline says which variant is fastest, by how much, and how sure that is", () => {
  assert.equal(headline(judged()), "sink is 8.3 % faster than baseline (95 % interval 6.2 to 10 %, p = 0.023).");
  const sink = comparison(1.08, 1.06, 1.1, { adjustedP: 0.0004 });
  assert.equal(
    of(["sink", "faster", sink], ["amp", "faster", comparison(1.25, 1.2, 1.3)], [
      "all",
      "slower",
      comparison(0.8, 0.7, 0.9),
    ]),
    "amp is 25 % faster than baseline (95 % interval 20 to 30 %, p = 0.023); 1 more variant is faster.",
  );
  assert.equal(
    of(["sink", "faster", sink]),
    "sink is 8.0 % faster than baseline (95 % interval 6.0 to 10 %, p < 0.001).",
  );
  assert.equal(
    of(["sink", "faster", comparison(1.25, null, null, { adjustedP: null as never, p: null as never })]),
    "sink is 25 % faster than baseline.",
  );
});

Deno.test("the headline gives a large speed-up as a factor", () => {
  assert.equal(
    of(["sink", "faster", comparison(2.413, 2.2, 2.64)]),
    "sink is 2.41 times as fast as baseline (95 % interval 2.20 to 2.64, p = 0.023).",
  );
});

Deno.test("without a faster variant the headline names the slowest", () => {
  const workers = comparison(0.94, 0.93, 0.952);
  assert.equal(
    of(["workers", "slower", workers], ["sink", "same", comparison(1, 0.99, 1.01)]),
    "workers is 6.0 % slower than baseline (95 % interval 4.8 to 7.0 %, p = 0.023); no variant is faster.",
  );
  assert.match(
    of(["workers", "slower", workers], ["b", "slower", comparison(0.4, 0.3, 0.5)])!,
    /^b is 0\.40 times as fast/,
  );
});

Deno.test("without an effect the headline says so, or that rounds are missing, or is empty", () => {
  const open = comparison(1.2, 0.9, 1.5);
  const none = comparison(1, 0.99, 1.01);
  assert.equal(
    of(["sink", "unclear", open], ["amp", "same", none]),
    "No verdict after 8 rounds: sink may be faster or slower than baseline.",
  );
  assert.equal(
    of(["sink", "unclear", { ...open, pairs: 2 }]),
    "The variants were not compared: that takes 6 rounds, and this run has 2.",
  );
  assert.equal(of(["sink", "same", none]), "sink is as fast as baseline, within 2.0 %.");
  assert.equal(of(["sink", "same", none], ["amp", "same", none]), "sink, amp are as fast as baseline, within 2.0 %.");
  assert.equal(of(["amp", "invalid", open]), "No variant can be compared with baseline: what they compute differs.");
  assert.equal(headline(eventful()), "– no verdict: this run did not compare its blocks.");
  const failed = variant("baseline", { error: { message: "no device", exitStatus: 2 } });
  assert.equal(
    headline(result([failed, variant("sink")])),
    "No verdict: baseline failed, and the others are compared with it.",
  );
  assert.equal(headline(result([variant("baseline")])), null);
});
