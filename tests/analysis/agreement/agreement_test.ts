import assert from "node:assert/strict";
import { agreementOf } from "../../../runtime/analysis/agreement/agreement.ts";
import { compareLosses } from "../../../runtime/analysis/agreement/losses.ts";
import { verifyLosses } from "../../../runtime/analysis/agreement/verify_losses.ts";
import type { Block, Result, VariantResult } from "../../../runtime/result/schema.ts";
import {
  adapter,
  failed,
  metric,
  noMetrics,
  result,
  speedup as asSpeedup,
  variant,
} from "../../report/result_fixture.ts";

/** Blocks of 100 samples that took `walls` ms. */
function blocks(walls: readonly number[]): Block[] {
  return walls.map((wall, round) => ({ round, position: 0, samples: 100, wall, steps: [] }));
}

/** A baseline at 1000 images/s, and a variant that is about `ratio` times as fast. */
function measured(ratio: number, fields: Partial<VariantResult> = {}, scale = 1): Result {
  const walls = [99, 101, 100, 100.5].map((wall) => wall * scale);
  const [a, b] = [blocks(walls), blocks(walls.map((wall, i) => wall / ratio * (1 + (i % 2 ? 0.004 : -0.004))))];
  const metrics = (value: number, speedup: number) => ({
    ...noMetrics,
    ips: metric(value, "images/s"),
    speedup: asSpeedup(speedup),
  });
  return result([
    variant("baseline", { blocks: a, metrics: metrics(1000 / scale, 1) }),
    variant("sink", { blocks: b, metrics: metrics(1000 * ratio / scale, ratio), verdict: "faster", ...fields }),
  ]);
}

function disagreements(then: Result, now: Result): string[] {
  return agreementOf(then, now).flatMap((one) => one.disagreements);
}

Deno.test("losses are compared bit by bit, NaN included", () => {
  assert.deepEqual(compareLosses([1, 2, "NaN"], [1, 2, "NaN", 4]), { steps: 3, first: null });
  const next = 2 + 2 ** -51;
  assert.deepEqual(compareLosses([1, 2, 3], [1, next, 4]), { steps: 3, first: { step: 1, then: 2, now: next } });
  assert.deepEqual(compareLosses([null, 2, 3], [1, null, 3]), { steps: 1, first: null });
  assert.deepEqual(compareLosses([1, 2, 3], [1, 2, 4], 2), { steps: 2, first: null });
});

Deno.test("two equal runs agree", () => {
  assert.deepEqual(disagreements(measured(1.2), measured(1.201)), []);
});

Deno.test("speed-ups with disjoint intervals disagree", () => {
  const [, sink] = agreementOf(measured(1.2), measured(1.3));
  assert.equal(sink!.speedup.overlap, false);
  assert.deepEqual(sink!.disagreements, ["the speed-up intervals do not overlap"]);
});

Deno.test("contradicting verdicts disagree; unclear contradicts none", () => {
  assert.match(
    disagreements(measured(1.2), measured(1.2, { verdict: "same" })).join(),
    /verdict changed from faster to same/,
  );
  assert.deepEqual(disagreements(measured(1.2), measured(1.2, { verdict: "unclear" })), []);
});

Deno.test("a slightly slower machine agrees, a much slower one does not", () => {
  assert.deepEqual(disagreements(measured(1.2), measured(1.2, {}, 1.1)), []);
  assert.match(disagreements(measured(1.2), measured(1.2, {}, 1.5)).join(), /speeds are more than 15 % apart/);
});

Deno.test("losses must be identical on the same adapter with the same plan", () => {
  const [then, now] = [measured(1.2), measured(1.2, { losses: [2.31, 1.8] })];
  assert.deepEqual(disagreements(then, now), ["the losses differ from step 1 on"]);
  const plan = measured(1.2, { losses: [2.31, 1.8], planFingerprint: "other" });
  assert.deepEqual(disagreements(then, plan), []);
  const elsewhere = { ...now, environment: { ...now.environment, adapter: { ...adapter, name: "H200" } } };
  assert.deepEqual(disagreements(then, elsewhere), []);
  assert.equal(agreementOf(then, elsewhere)[1]!.lossNote, "different adapter");
});

Deno.test("losses of another plan are compared, but may differ", () => {
  const then = measured(1.2);
  const compare = (losses: number[]) => agreementOf(then, measured(1.2, { losses, planFingerprint: "other" }))[1]!;
  const [same, other] = [compare([2.31, 1.7321]), compare([2.31, 1.8])];
  assert.deepEqual([same.losses!.first, same.lossNote, same.disagreements], [null, "different plan", []]);
  assert.deepEqual([other.losses!.first!.step, other.lossNote, other.disagreements], [1, "different plan", []]);
});

Deno.test("Variants that fail or are missing in one of the runs do not agree", () => {
  const then = measured(1.2);
  const broken = { ...then, variants: [then.variants[0]!, failed("sink", "no f16", 3)] };
  assert.match(disagreements(then, broken).join(), /status changed from ok to failed/);
  const begun = { ...then, variants: [then.variants[0]!, { ...then.variants[1]!, status: "interrupted" as const }] };
  assert.deepEqual(disagreements(begun, then), []);
  const fewer = { ...then, variants: [then.variants[0]!] };
  assert.match(disagreements(then, fewer).join(), /the variant is missing from the second run/);
  assert.match(disagreements(fewer, then).join(), /the variant is missing from the first run/);
});

Deno.test("verification requires every loss of the first run", () => {
  const then = result([variant("a", { losses: [3, 2, 1] }), variant("b", { losses: [] })]);
  const check = (losses: VariantResult["losses"], most?: number) =>
    verifyLosses(then, result([variant("a", { losses })]), most);
  assert.deepEqual(check([3, 2, 1, 0.5]).map(({ name, identical }) => [name, identical]), [["a", true]]);
  assert.equal(check([3, 2, 1.5])[0]!.losses.first!.step, 2);
  assert.equal(check([3, 2])[0]!.identical, false);
  assert.equal(check([3, 2])[0]!.failed, "it ended after 2 steps");
  assert.equal(check([3, 2], 2)[0]!.identical, true);
  assert.equal(verifyLosses(then, result([failed("a", "no f16", 3)]))[0]!.failed, "no f16");
});
