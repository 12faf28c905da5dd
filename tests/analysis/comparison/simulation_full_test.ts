/**
 * Simulated experiments, a small part of what `deno task bench:simulate` runs: what comparisons promise holds on noise
 * that was fitted to real blocks. Seeded, so that the outcome is the same every time. The fast set compares a few experiments
 * with their outcome when all of this held (simulation_test.ts).
 */
import { ok } from "node:assert/strict";
import type { Setup } from "../../../bench/simulation/experiments.ts";
import { fitNoise } from "../../../bench/simulation/fit.ts";
import { type Machine, machinesOf, madeMachines, unlikeCopies } from "../../../bench/simulation/machines.ts";
import { ratesOf } from "../../../bench/simulation/rates.ts";
import { readRecordings } from "../../../bench/simulation/recording.ts";

const EXPERIMENTS = 100;
const recordings = [...readRecordings()];
const machines = recordings.flatMap(([name, recording]) => machinesOf(name, fitNoise(recording)));
const quiet = unlikeCopies(0.01, 0);

function setup(machine: Machine, rounds: number, effects: readonly number[], fields: Partial<Setup> = {}): Setup {
  return { machine, rounds, effects, minEffect: 0.01, controlArm: true, ...fields };
}

/**
 * The part of `experiments` that a rate may reach by chance: four standard deviations over, since some 170 rates are
 * compared with it.
 */
function atMost(rate: number, experiments: number): number {
  return rate + 4 * Math.sqrt(rate * (1 - rate) / experiments);
}

for (const rounds of [4, 8, 12]) {
  Deno.test(`equals are called faster or slower in 5 % of the cases at most, intervals hold: ${rounds} rounds`, () => {
    const rates = machines.map((machine) => ratesOf(setup(machine, rounds, [0]), EXPERIMENTS));
    for (const [i, { called, covered }] of rates.entries()) {
      ok(called <= atMost(0.05, EXPERIMENTS), `${machines[i]!.name}: ${called} called`);
      ok(1 - covered <= atMost(0.05, EXPERIMENTS), `${machines[i]!.name}: ${covered} covered`);
    }
    const called = rates.reduce((sum, rate) => sum + rate.called, 0) / rates.length;
    const covered = rates.reduce((sum, rate) => sum + rate.covered, 0) / rates.length;
    ok(called <= 0.05, `${called} called over all machines`);
    ok(covered >= 0.93 && (covered <= 0.97 || rounds < 8), `${covered} covered over all machines`);
  });
}

Deno.test("intervals hold an effect as they hold none", () => {
  const some = machines.filter((_, i) => i % 3 === 0);
  const rates = some.map((machine) => ratesOf(setup(machine, 8, [0.1]), EXPERIMENTS).covered);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  ok(mean >= 0.93 && mean <= 0.97, `${mean} over all machines`);
});

Deno.test("of a matrix of equals no variant is called faster or slower in 95 % of the cases", () => {
  const equals = new Array<number>(5).fill(0);
  const some = machines.filter((_, i) => i % 3 === 1);
  const rates = some.map((machine) => ratesOf(setup(machine, 10, equals), 60).called);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  ok(mean <= 0.05, `${mean} over all machines`);
});

Deno.test("on a quiet machine 8 rounds tell an effect of 5 %, and that there is none", () => {
  const { faster } = ratesOf(setup(quiet, 8, [0.05]), EXPERIMENTS);
  ok(faster >= 0.95, `${faster} found`);
  const { same, called } = ratesOf(setup({ ...quiet, ...unlikeCopies(0.004, 0) }, 8, [0]), EXPERIMENTS);
  ok(same >= 0.9 && called <= 0.01, `${same} called the same, ${called} called something else`);
});

Deno.test("the baseline's second arm spares calls where copies differ for good", () => {
  const unlike = unlikeCopies(0.01, 0.02);
  const { called } = ratesOf(setup(unlike, 8, [0]), EXPERIMENTS);
  const { called: alone } = ratesOf(setup(unlike, 8, [0], { controlArm: false }), EXPERIMENTS);
  ok(called < 0.8 * alone, `${called} with it, ${alone} without`);
});

Deno.test("in bursts of load 20 rounds find an effect of 10 %, and more rounds find more", () => {
  const bursts = madeMachines(3).find(({ name }) => name.startsWith("bursts, 10 %"))!;
  const [few, many] = [8, 20].map((rounds) => ratesOf(setup(bursts, rounds, [0.1]), 100).faster) as [number, number];
  ok(many >= 0.9, `${many} found in 20 rounds`);
  ok(many > few + 0.1, `${few} found in 8 rounds, ${many} in 20`);
  ok(ratesOf(setup(bursts, 20, [0]), EXPERIMENTS).covered >= 0.9);
});

Deno.test("what an arm does to the next block, and waves, call equals in 5 % of the cases at most", () => {
  const called = madeMachines(3)
    .filter(({ name, carryOver }) => !name.startsWith("bursts") && carryOver?.onItself !== false)
    .flatMap((machine) =>
      [8, 20].map((rounds) => {
        const { called } = ratesOf(setup(machine, rounds, [0]), EXPERIMENTS);
        ok(called <= atMost(0.05, EXPERIMENTS), `${machine.name}, ${rounds} rounds: ${called} called`);
        return called;
      })
    );
  const mean = called.reduce((sum, rate) => sum + rate, 0) / called.length;
  ok(mean <= 0.03, `${mean} over all machines`);
});
