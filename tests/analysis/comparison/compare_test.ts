import fc from "../../packages/fast_check.ts";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { compareArms, halfWidth } from "../../../runtime/analysis/comparison/compare.ts";
import { comparisonSchema } from "../../../runtime/result/comparison.ts";
import type { Quality } from "../../../runtime/result/schema.ts";
import { arm, blocks, input } from "./arms.ts";

/** Eight walls of a noisy machine. */
const WALLS = [1000, 1010, 990, 1005, 995, 1012, 988, 1001];
const scaled = (factor: number, walls: readonly number[] = WALLS) =>
  walls.map((wall, i) => wall * factor * (1 + (i % 3 - 1) / 1000));

const broken: Quality = {
  step: 40,
  loss: 2.9,
  baselineLoss: 1.4,
  difference: 1.07,
  tolerance: 0.1,
  first: null,
  kept: false,
};

function judged(walls: readonly (number | null)[], fields: Parameters<typeof input>[1] = {}) {
  return compareArms(input([arm("baseline", WALLS), arm("variant", walls)], fields)).byName.get("variant")!;
}

Deno.test("verdicts are faster, slower or same", () => {
  for (const [factor, verdict] of [[0.8, "faster"], [1.25, "slower"], [1.002, "same"]] as const) {
    const { comparison, verdict: found } = judged(scaled(factor));
    strictEqual(found, verdict);
    ok(Math.abs(comparison!.speedup.value * factor - 1) < 1e-3);
    strictEqual(comparison!.pairs, 8);
    strictEqual(comparison!.smallestP, 2 / 256);
    strictEqual(comparison!.band, 0.01);
    comparisonSchema.parse(comparison);
  }
});

Deno.test("an interval across the band's edge is unclear, and the reason says how many rounds would decide", () => {
  const { comparison, verdict } = judged(WALLS.map((wall, i) => wall * (i % 2 ? 0.96 : 0.999)));
  strictEqual(verdict, "unclear");
  match(comparison!.reason, /^×1\.\d+ to ×1\.\d+ leaves open whether the difference exceeds 1\.0 %; about \d+ rounds/);
});

Deno.test("an interval around the band is unclear, and no number of rounds is promised", () => {
  const { comparison, verdict } = judged(WALLS.map((wall, i) => wall * (i % 2 ? 0.9 : 1.1)));
  strictEqual(verdict, "unclear");
  match(comparison!.reason, /exceeds 1\.0 %; it would take over 200 rounds to decide$/);
});

Deno.test("few rounds are unclear, and the reason says how many are needed", () => {
  const few = WALLS.slice(0, 4);
  const result = compareArms(input([arm("a", few), arm("b", scaled(0.5, few))]));
  const { comparison, verdict } = result.byName.get("b")!;
  strictEqual(verdict, "unclear");
  strictEqual(comparison!.reason, "4 rounds are too few; 6 are needed");
  strictEqual(comparison!.method, "Student's t");
  ok(comparison!.speedup.low! < 2 && comparison!.speedup.high! > 2);
});

Deno.test("a single round has a speed-up and no interval", () => {
  const { comparison, verdict } = compareArms(input([arm("a", [100]), arm("b", [50])])).byName.get("b")!;
  deepStrictEqual(comparison!.speedup, { value: 2, low: null, high: null });
  strictEqual(comparison!.p, 1);
  strictEqual(verdict, "unclear");
  match(comparison!.reason, /^1 round is too few/);
});

Deno.test("a loss outside its tolerance is invalid regardless of speed", () => {
  const arms = [arm("a", WALLS), arm("b", scaled(0.5), broken), arm("c", scaled(0.5), { ...broken, kept: true })];
  const { byName } = compareArms(input(arms));
  strictEqual(byName.get("b")!.verdict, "invalid");
  strictEqual(
    byName.get("b")!.comparison!.reason,
    "the loss up to step 40 is 107 % off the baseline's, 10 % allowed",
  );
  strictEqual(byName.get("c")!.verdict, "faster");
  const lost = compareArms(input([arm("a", WALLS), arm("b", scaled(0.5), { ...broken, difference: "Infinity" })]));
  match(lost.byName.get("b")!.comparison!.reason, /is a number in one of the two only/);
  const diverged = { ...broken, tolerance: null, loss: "NaN" } as const;
  const other = compareArms(input([arm("a", WALLS), arm("b", scaled(0.5), diverged)])).byName.get("b")!;
  strictEqual(other.verdict, "invalid");
  match(other.comparison!.reason, /^training diverges: the loss at step 40 is NaN, the baseline's /);
});

Deno.test("a loss that is off in the first steps is invalid", () => {
  const quality = { ...broken, difference: 0.25, tolerance: 0.3, first: { difference: 0.25, tolerance: 0.001 } };
  const judged = compareArms(input([arm("a", WALLS), arm("b", scaled(0.5), quality)])).byName.get("b")!;
  strictEqual(judged.verdict, "invalid");
  strictEqual(judged.comparison!.reason, "a loss of the first 3 steps is 25 % off the baseline's, 0.1 % allowed");
});

Deno.test("a training whose updates loss scaling skips is invalid, with their count", () => {
  const skipping = (skipped: number) => ({ ...arm("b", scaled(0.5)), updates: { measured: 40, skipped } });
  const of = (skipped: number) => compareArms(input([arm("a", WALLS), skipping(skipped)])).byName.get("b")!;
  strictEqual(of(0).verdict, "faster");
  strictEqual(of(2).verdict, "faster", "5 % are allowed");
  strictEqual(of(3).verdict, "invalid");
  strictEqual(of(3).comparison!.reason, "loss scaling skipped 3 of 40 measured updates, 5 % allowed");
  strictEqual(of(40).comparison!.reason, "loss scaling skipped all 40 measured updates: nothing was trained");
  const { verdict, comparison } = compareArms({ ...input([skipping(40), arm("a", WALLS)]) }).byName.get("a")!;
  strictEqual(verdict, "invalid");
  strictEqual(comparison!.reason, "b: loss scaling skipped all 40 measured updates: nothing was trained");
});

Deno.test("the baseline, failures and arms without a common round are not judged", () => {
  const { byName, noiseFloor, controlArm } = compareArms(input([
    arm("baseline", WALLS),
    { ...arm("failed", scaled(0.5)), failed: true },
    arm("elsewhere", [null, null, null, null, null, null, null, null, 100]),
    arm("empty", []),
    arm("fine", scaled(0.5)),
  ]));
  for (const name of ["baseline", "failed", "elsewhere", "empty"]) {
    deepStrictEqual(byName.get(name), { comparison: null, verdict: null }, name);
  }
  // Of these only one is tested, so that there is nothing to correct for
  strictEqual(byName.get("fine")!.comparison!.adjustedP, 2 / 256);
  deepStrictEqual([noiseFloor, controlArm], [null, null]);
});

Deno.test("a single variant, a missing baseline and no arms give no comparison", () => {
  strictEqual(compareArms(input([arm("only", WALLS)])).byName.get("only")!.comparison, null);
  strictEqual(compareArms({ ...input([arm("a", WALLS)]), baseline: "gone" }).byName.get("a")!.comparison, null);
  strictEqual(compareArms({ ...input([arm("a", [])]), arms: [], controlArm: [] }).byName.size, 0);
});

Deno.test("rounds are paired by number; blocks without time or samples count as missing", () => {
  const walls = [...scaled(0.8)];
  walls[2] = 0;
  const shuffled = { ...arm("variant", walls), blocks: blocks(walls).toReversed() };
  const { comparison } = compareArms(input([arm("baseline", WALLS), shuffled])).byName.get("variant")!;
  strictEqual(comparison!.pairs, 7);
  ok(Math.abs(comparison!.speedup.value - 1.25) < 2e-3);
  const none = { ...arm("variant", []), blocks: blocks(WALLS, 0) };
  strictEqual(compareArms(input([arm("baseline", WALLS), none])).byName.get("variant")!.comparison, null);
});

Deno.test("time is per sample: a block of twice the samples may take twice the time", () => {
  const twice = { ...arm("variant", []), blocks: blocks(WALLS.map((wall) => wall * 2), 200) };
  const { comparison, verdict } = compareArms(input([arm("baseline", WALLS), twice])).byName.get("variant")!;
  strictEqual(comparison!.speedup.value, 1);
  strictEqual(verdict, "same");
});

Deno.test("equal blocks give a verdict without noise", () => {
  const flat = new Array<number>(8).fill(500);
  const of = (factor: number, minEffect = 0.01) =>
    compareArms(
      input([arm("a", flat), arm("b", flat.map((wall) => wall * factor))], { minEffect, controlArm: blocks(flat) }),
    );
  strictEqual(of(1).byName.get("b")!.verdict, "same");
  strictEqual(of(1, 0).byName.get("b")!.verdict, "same");
  strictEqual(of(0.5).byName.get("b")!.verdict, "faster");
  strictEqual(of(2).byName.get("b")!.verdict, "slower");
  strictEqual(of(1).noiseFloor, 0);
});

Deno.test("many variants are corrected for, and the reason says how many rounds are needed", () => {
  const arms = [arm("baseline", WALLS), ...Array.from({ length: 50 }, (_, i) => arm(`v${i}`, scaled(0.7)))];
  const { comparison, verdict } = compareArms(input(arms)).byName.get("v49")!;
  strictEqual(comparison!.p, 2 / 256);
  strictEqual(comparison!.adjustedP, 100 / 256);
  strictEqual(verdict, "unclear");
  strictEqual(comparison!.reason, "p 0.391 after the correction for 50 variants; 11 rounds are needed");
  const longer = Array.from({ length: 11 }, (_, i) => WALLS[i % 8]!);
  const enough = [arm("baseline", longer), ...Array.from({ length: 50 }, (_, i) => arm(`v${i}`, scaled(0.7, longer)))];
  strictEqual(compareArms(input(enough)).byName.get("v49")!.verdict, "faster");
});

Deno.test("a difference between two runs of the baseline widens the band", () => {
  const second = blocks(scaled(1.1));
  const { noiseFloor, controlArm, byName } = compareArms(
    input([arm("baseline", WALLS), arm("close", scaled(0.93)), arm("far", scaled(0.7))], { controlArm: second }),
  );
  ok(Math.abs(noiseFloor! - 0.1) < 2e-3);
  ok(controlArm!.speedup.value < 1);
  comparisonSchema.parse(controlArm);
  strictEqual(byName.get("far")!.comparison!.band, noiseFloor);
  strictEqual(byName.get("close")!.verdict, "same");
  strictEqual(byName.get("far")!.verdict, "faster");
});

Deno.test("a difference of two runs that is all noise is no floor", () => {
  const noisy = WALLS.map((wall, i) => wall * (i % 2 ? 1.3 : 0.8));
  const { noiseFloor, byName } = compareArms(
    input([arm("baseline", WALLS), arm("close", scaled(0.985)), arm("far", scaled(0.8))], {
      controlArm: blocks(noisy),
    }),
  );
  strictEqual(noiseFloor, 0);
  strictEqual(byName.get("close")!.comparison!.band, 0.01);
  strictEqual(byName.get("far")!.verdict, "faster");
});

Deno.test("bursts of other load move the geometric mean, which says so, and not the speed-up", () => {
  const walls = Array.from({ length: 16 }, (_, i) => WALLS[i % 8]!);
  const burst = scaled(1 / 1.1, walls).map((wall, i) => i % 6 === 1 ? wall * 3 : wall);
  const { verdict, comparison } = compareArms(input([arm("a", walls), arm("b", burst)])).byName.get("b")!;
  strictEqual(verdict, "faster");
  ok(Math.abs(comparison!.speedup.value - 1.1) < 0.02, `${comparison!.speedup.value}`);
  const { ratio, disagrees } = comparison!.companion!;
  ok(ratio.value < 1 && ratio.low! < ratio.value && ratio.high! > 1, JSON.stringify(ratio));
  strictEqual(disagrees, true);
  const steady = compareArms(input([arm("a", walls), arm("b", scaled(1 / 1.1, walls))])).byName.get("b")!;
  strictEqual(steady.comparison!.companion!.disagrees, false);
});

Deno.test("the level that few rounds reach is beside the level of the interval", () => {
  const six = WALLS.slice(0, 6);
  const few = compareArms(input([arm("a", six), arm("b", scaled(0.8, six))])).byName.get("b")!.comparison!;
  strictEqual(few.level, 0.95);
  ok(few.reached! > 0.96 && few.reached! < 0.97, `${few.reached}`);
});

Deno.test("intervals are wider where their width decides when to stop", () => {
  const walls = Array.from({ length: 16 }, (_, i) => WALLS[i % 8]! * (1 + i % 5 / 100));
  const width = (byPrecision: boolean) => {
    const { low, high } = compareArms(input([arm("a", walls), arm("b", scaled(0.9, walls.toReversed()))], {
      byPrecision,
    })).byName.get("b")!.comparison!.speedup;
    return high! - low!;
  };
  ok(width(true) > width(false));
});

Deno.test("the precision of a comparison is the half width of its interval", () => {
  const variant = WALLS.map((wall, i) => wall * (i % 2 ? 1.1 : 0.9));
  const { speedup } = judged(variant, { byPrecision: true }).comparison!;
  const half = halfWidth(blocks(variant), blocks(WALLS), 1)!;
  ok(Math.abs((1 + half) ** 2 - speedup.high! / speedup.low!) < 1e-9);
  ok(half > 0.03 && half < 0.12);
  strictEqual(halfWidth(blocks([100]), blocks([100]), 1), null);
  strictEqual(halfWidth([], [], 1), null);
});

/** Walls as a broken run may leave them. */
const anyWalls = fc.array(
  fc.oneof(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.constantFrom(null, 0, 1000, Infinity, NaN)),
  { maxLength: 30 },
);

Deno.test("whatever the blocks, what is said of them is whole and holds together", () => {
  fc.assert(
    fc.property(
      anyWalls,
      anyWalls,
      fc.option(anyWalls),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (a, b, again, minEffect) => {
        const controlArm = again === null ? null : blocks(again);
        const { byName, noiseFloor } = compareArms(input([arm("a", a), arm("b", b)], { controlArm, minEffect }));
        const { comparison, verdict } = byName.get("b")!;
        strictEqual(comparison === null, verdict === null);
        if (noiseFloor !== null) ok(noiseFloor >= 0);
        if (comparison === null) return;
        comparisonSchema.parse(comparison);
        ok(
          comparison.band >= minEffect && comparison.adjustedP! >= comparison.p! &&
            comparison.p! >= comparison.smallestP!,
        );
        const { value, low, high } = comparison.speedup;
        if (low !== null && high !== null) ok(low <= value * (1 + 1e-9) && high >= value * (1 - 1e-9));
        if (verdict === "faster") ok(low! > 1 + comparison.band && comparison.adjustedP! < 0.05);
        if (verdict === "slower") ok(high! < 1 / (1 + comparison.band) && comparison.adjustedP! < 0.05);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

Deno.test("the other way round everything is the other way round", () => {
  const walls = fc.array(fc.double({ min: 1, max: 1e4, noNaN: true }), { minLength: 9, maxLength: 9 });
  const opposite = {
    faster: "slower",
    slower: "faster",
    same: "same",
    unclear: "unclear",
    invalid: "invalid",
  } as const;
  fc.assert(
    fc.property(walls, fc.double({ min: 0.5, max: 2, noNaN: true }), (noise, factor) => {
      const other = WALLS.concat(1004).map((wall, i) => wall * factor * (1 + noise[i]! / 1e6));
      const arms = [arm("a", WALLS.concat(1004)), arm("b", other)];
      const forth = compareArms(input(arms)).byName.get("b")!;
      const back = compareArms(input(arms.toReversed())).byName.get("a")!;
      strictEqual(back.verdict, opposite[forth.verdict!]);
      strictEqual(back.comparison!.p, forth.comparison!.p);
      ok(Math.abs(back.comparison!.speedup.low! * forth.comparison!.speedup.high! - 1) < 1e-6);
    }),
    { seed: 1, numRuns: 200 },
  );
});
