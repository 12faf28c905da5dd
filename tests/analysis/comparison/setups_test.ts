import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { unlikeCopies } from "../../../bench/simulation/machines.ts";
import { OFFSETS } from "../../../bench/simulation/offsets.ts";
import { ratesOf } from "../../../bench/simulation/rates.ts";
import { compareArms } from "../../../runtime/analysis/comparison/compare.ts";
import { estimateLogs } from "../../../runtime/analysis/comparison/estimate.ts";
import {
  type Difference,
  estimateDifferences,
  meanOfDifferences,
  sharedSpread,
  spreadOf,
} from "../../../runtime/analysis/comparison/setups.ts";
import { studentMean } from "../../../runtime/analysis/comparison/student.ts";
import { winsorisedMean } from "../../../runtime/analysis/comparison/winsorised.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { tQuantile } from "../../../runtime/analysis/student_t.ts";
import { full, sampled } from "../../support/full.ts";
import { arm, blocks, input } from "./arms.ts";

/** Differences of set-ups of `size` rounds each, with an offset of each set-up and noise of each round. */
function drawn(seed: number, setups: number, size: number, offset: number, noise: number): Difference[] {
  const stream = new RandomStream(seed);
  return Array.from({ length: setups }, (_, setup) => {
    const own = offset * stream.normal();
    return Array.from({ length: size }, () => ({ log: 0.1 + own + noise * stream.normal(), setup }));
  }).flat();
}

const logsOf = (differences: readonly Difference[]) => differences.map(({ log }) => log);

Deno.test("rounds are the unit where each has its own set-up, or all share one", () => {
  for (const [setups, size] of [[9, 1], [1, 9], [4, 1]] as const) {
    const differences = drawn(1, setups, size, 0.01, 0.01);
    deepStrictEqual(estimateDifferences(differences), { ...estimateLogs(logsOf(differences))!, setups });
  }
  strictEqual(estimateDifferences([]), null);
});

Deno.test("enough set-ups have the exact test over their means, fewer have Student's t, which names itself a model", () => {
  const means = (differences: readonly Difference[]) =>
    [...Map.groupBy(differences, ({ setup }) => setup).values()].map((own) => winsorisedMean(logsOf(own)));
  const exact = drawn(2, 8, 3, 0.01, 0.01);
  const { interval, p, rounds, setups, smallestP, method } = estimateDifferences(exact, { tests: 4 })!;
  const wanted = estimateLogs(means(exact))!;
  deepStrictEqual({ interval, p, rounds, setups, smallestP }, {
    ...{ interval: wanted.interval, p: wanted.p },
    ...{ rounds: 24, setups: 8, smallestP: 2 / 256 },
  });
  match(method, /over set-ups/);
  // The correction for 7 variants needs 9
  for (const [differences, tests] of [[exact, 7], [drawn(3, 5, 3, 0.01, 0.01), 1]] as const) {
    const model = estimateDifferences(differences, { tests })!;
    const t = studentMean(means(differences), 0.95);
    deepStrictEqual([model.interval, model.p, model.value, model.smallestP], [t.interval, t.p, t.value, null]);
    match(model.method, /^Student's t over [58] set-ups, a model$/);
  }
});

Deno.test("a verdict by the model says so", () => {
  const walls = [100, 101, 99, 100, 102, 98, 100, 101];
  const quicker = arm("quicker", walls.map((wall, i) => wall / (1.2 + 0.004 * (i % 3))));
  const bySetup = (one: typeof quicker) => ({
    ...one,
    blocks: one.blocks.map((block) => ({ ...block, setup: block.round >> 1 })),
  });
  const { byName } = compareArms(input([bySetup(arm("base", walls)), bySetup(quicker)]));
  const { verdict, comparison } = byName.get("quicker")!;
  strictEqual(verdict, "faster");
  match(comparison!.reason, /p .* by Student's t over 4 set-ups, a model$/);
  deepStrictEqual([comparison!.pairs, comparison!.setups, comparison!.smallestP], [8, 4, null]);
});

Deno.test("the spread is reported for each level", () => {
  const deviations = [0, 0];
  for (let seed = 0; seed < 40; seed++) {
    const { setups, rounds } = spreadOf(drawn(seed, 12, 4, 0.02, 0.005));
    deviations[0]! += setups! ** 2 / 40;
    deviations[1]! += rounds! ** 2 / 40;
  }
  const [setups, rounds] = deviations.map(Math.sqrt) as [number, number];
  ok(Math.abs(setups - 0.02) < 0.002 && Math.abs(rounds - 0.005) < 0.0005, `${setups}, ${rounds}`);
  const each = drawn(1, 50, 1, 0.03, 0.04);
  const both = spreadOf(each);
  ok(Math.abs(both.setups! - 0.05) < 0.01 && both.rounds === null, "one round each: both levels together");
  const one = spreadOf(drawn(1, 1, 50, 0.03, 0.04));
  ok(one.setups === null && Math.abs(one.rounds! - 0.04) < 0.01);
  deepStrictEqual(spreadOf(drawn(1, 1, 1, 1, 1)), { setups: null, rounds: null });
});

Deno.test("the geometric mean gives rounds equal weights, and its interval flips the rounds of a set-up together", () => {
  const differences = [...drawn(4, 7, 2, 0.02, 0.001), { log: 0.3, setup: 7 }];
  const { ratio } = meanOfDifferences(differences)!;
  const mean = logsOf(differences).reduce((sum, log) => sum + log, 0) / 15;
  ok(Math.abs(Math.log(ratio.value) - mean) < 1e-12);
  const byRound = meanOfDifferences(differences.map(({ log }) => ({ log, setup: 0 })))!.ratio;
  ok(ratio.high! - ratio.low! > byRound.high! - byRound.low!);
});

Deno.test("few set-ups are judged by the spread that all arms share, or their own if it is larger", () => {
  const means = (values: readonly number[]) =>
    values.flatMap((log, setup) => [log - 0.001, log + 0.001].map((log) => ({ log, setup })));
  const arms = [[0.2, 0.21, 0.2, 0.21], [0.1, 0, -0.1, 0], [0, 0, 0.02, 0.02]].map(means);
  const shared = sharedSpread(arms)!;
  // Mean square of the interaction of four arms, the baseline included, and four set-ups
  const table = [[0, 0, 0, 0], [0.2, 0.21, 0.2, 0.21], [0.1, 0, -0.1, 0], [0, 0, 0.02, 0.02]];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const columns = [0, 1, 2, 3].map((i) => mean(table.map((row) => row[i]!)));
  const residuals = table.flatMap((row) => row.map((value, i) => value - mean(row) - columns[i]! + mean(columns)));
  const size = Math.sqrt(2 * residuals.reduce((sum, value) => sum + value ** 2, 0) / 9);
  ok(Math.abs(shared.size - size) < 1e-9 && shared.freedom === 9, JSON.stringify(shared));
  const width = (arm: readonly Difference[], known: typeof shared | null) => {
    const { interval } = estimateDifferences(arm, { tests: 3, shared: known })!;
    return interval!.high - interval!.low;
  };
  const half = (deviation: number, freedom: number) => 2 * tQuantile(0.95, freedom) * deviation / 2;
  ok(Math.abs(width(arms[0]!, shared) - half(size, 9)) < 1e-9, "the shared spread");
  ok(Math.abs(width(arms[1]!, shared) - half(Math.sqrt(0.02 / 3), 9)) < 1e-9, "its own");
  ok(Math.abs(width(arms[0]!, null) - half(Math.sqrt(1e-4 / 3), 3)) < 1e-9, "alone");
});

Deno.test("the spread that arms share is over the set-ups of all, and none where rounds are the unit", () => {
  const arm = (setups: readonly number[]) => setups.map((setup) => ({ log: 0.01 * setup, setup }));
  strictEqual(sharedSpread([]), null);
  strictEqual(sharedSpread([[], arm([0, 0, 0])]), null, "one set-up");
  strictEqual(sharedSpread([arm([0, 1, 2, 3])]), null, "one round each");
  strictEqual(sharedSpread([arm([0, 0, 1, 1]), arm([2, 2])]), null, "none in common");
  strictEqual(sharedSpread([[], arm([0, 0, 1, 1, 2]), arm([0, 0, 1, 1])])!.freedom, 2);
});

/** A comparison in which `setups` set-ups of four rounds agree: a second run of the baseline, and a variant. */
function agreeing(setups: number, effect: number) {
  const walls = Array.from({ length: 4 * setups }, (_, i) => 100 + i % 3);
  const bySetup = (walls: readonly number[]) =>
    blocks(walls).map((block) => ({ ...block, setup: Math.floor(block.round / 4) }));
  const arms = [1, 1 + effect].map((speed, i) => ({
    ...arm(String(i), []),
    blocks: bySetup(walls.map((wall) => wall / speed)),
  }));
  return compareArms(input(arms, { controlArm: bySetup(walls.toReversed()) })).byName.get("1")!;
}

Deno.test("two set-ups that agree decide for a large effect, not for one that a fast process may have", () => {
  const [small, large] = [agreeing(2, 0.08), agreeing(2, 0.5)];
  deepStrictEqual([small.verdict, large.verdict], ["unclear", "faster"]);
  match(small.comparison!.reason, /; 2 set-ups show little .*: give measure\.setups=4, or measure\.processes=4/);
  strictEqual(agreeing(4, 0.08).verdict, "faster");
});

Deno.test("equals whose processes are fast or 8 % slower are called in 5 % of the cases at most", () => {
  const offsets = OFFSETS["fast, or 8 % slower"]!;
  for (const [variants, processes] of sampled([[1, 2], [4, 2], [6, 2], [4, 3], [6, 4]] as const, 3)) {
    const setup = { machine: unlikeCopies(0.005, offsets), rounds: 12, minEffect: 0.01, controlArm: true };
    const effects = new Array<number>(variants).fill(0);
    const { called } = ratesOf({ ...setup, effects, roundsPerSetup: 12 / processes }, full ? 150 : 60);
    ok(called <= 0.06, `${variants} variants, ${processes} processes: ${called}`);
  }
});

/** Set-ups that differ by 2 %, and noise of 1 %. */
const unlike = { machine: unlikeCopies(0.01, 0.02), minEffect: 0.01, controlArm: true };

Deno.test("offsets between set-ups cause false verdicts with a single set-up, and none with several", () => {
  const equals = new Array<number>(4).fill(0);
  const called = (rounds: number, roundsPerSetup: number) =>
    ratesOf({ ...unlike, rounds, roundsPerSetup, effects: equals }, full ? 60 : 25).called;
  const single = called(20, 20);
  ok(single > 0.3, `${single}`);
  for (const [rounds, size] of [[8, 1], [20, 5]] as const) {
    const several = called(rounds, size);
    ok(several <= 0.13, `${rounds} rounds, ${size} a set-up: ${several}`);
  }
});

Deno.test("12 rounds of 4 variants find 10 % where set-ups differ by 1 %", () => {
  const machine = unlikeCopies(0.01, 0.01);
  for (const roundsPerSetup of [1, 3]) {
    const setup = { ...unlike, machine, rounds: 12, roundsPerSetup, effects: [0.1, 0, 0, 0] };
    const { faster } = ratesOf(setup, full ? 50 : 20);
    ok(faster >= 0.8, `${roundsPerSetup} rounds a set-up: ${faster}`);
  }
});
