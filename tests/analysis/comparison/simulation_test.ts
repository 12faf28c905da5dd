/**
 * A few simulated experiments, whose outcome is known to the digits from a time when the promises of comparisons held on
 * hundreds of them (simulation_full_test.ts). After an intended change of a rule, run the full set, then write down what the
 * failing test prints.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import { simulate } from "../../../bench/simulation/experiments.ts";
import { fitNoise } from "../../../bench/simulation/fit.ts";
import { machinesOf, madeMachines, unlikeCopies } from "../../../bench/simulation/machines.ts";
import { ratesOf } from "../../../bench/simulation/rates.ts";
import { readRecordings, type Recording } from "../../../bench/simulation/recording.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { sampled } from "../../support/full.ts";

const recordings = [...readRecordings()];
const fitted = recordings.flatMap(([name, recording]) => machinesOf(name, fitNoise(recording)));
const machines = sampled([...fitted, ...madeMachines(3)], 10, { all: false });
const EXPERIMENTS = 20;

Deno.test("there are recordings of several nets, each of 60 blocks and more", () => {
  ok(recordings.length >= 3);
  for (const [name, { walls }] of recordings) ok(walls.flat().length >= 60, name);
});

Deno.test("the fit finds the noise that a recording was made with", () => {
  const bursts = fitNoise(recordingOf((random) => random.uniform() < 0.1 ? 0.5 : 0));
  ok(Math.abs(bursts.white - 0.03) < 0.006, `white ${bursts.white}`);
  ok(
    Math.abs(bursts.bursts.share - 0.1) < 0.03 && Math.abs(bursts.bursts.size - 0.5) < 0.05,
    JSON.stringify(bursts.bursts),
  );
  const levels = fitNoise(recordingOf((_, i) => Math.floor(i / 40) % 2 * 0.4));
  ok(Math.abs(levels.levels.gap - 0.4) < 0.02 && Math.abs(levels.levels.upper - 0.5) < 0.05);
  const step = fitNoise(recordingOf((_, i) => i < 100 ? 0.3 : 0));
  ok(Math.abs(step.step - 0.3) < 0.03 && step.drift.size > 0.1);
  const steady = fitNoise(recordingOf(() => 0));
  ok(steady.drift.size < 0.015 && steady.step < 0.03 && steady.freedom >= 5);
});

/** 100 rounds of 4 copies, with normal noise of 3 % and what `extra` adds. */
function recordingOf(extra: (random: RandomStream, block: number) => number): Recording {
  const random = new RandomStream(10);
  const order = Array.from({ length: 100 }, () => [0, 1, 2, 3]);
  const walls = order.map((copies, round) =>
    copies.map((copy) => 1000 * Math.exp(0.03 * random.normal() + extra(random, 4 * round + copy)))
  );
  return { scenario: "made", adapter: null, cpu: null, cores: 1, load: [0, 0], steps: 1, samples: 1, order, walls };
}

/** Returns what a comparison says of the second of two variants, with four digits. */
function outcome(name: string): string[] {
  const machine = machines.find((machine) => machine.name === name)!;
  return [4, 8, 12].map((rounds) => {
    const setup = { machine, rounds, effects: [0, 0.1], minEffect: 0.01, controlArm: true };
    const { verdict, comparison } = simulate(setup, rounds).byName.get("variant1")!;
    const { value, low, high } = comparison!.speedup;
    return [verdict, ...[value, low, high].map((end) => end === null ? "–" : end.toPrecision(4))].join(" ");
  });
}

/** Verdicts, ratios and intervals of seeded comparisons after 4, 8 and 12 rounds. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  "carry-over, 10 %, not on itself": [
    "unclear 1.094 0.9714 1.232",
    "faster 1.098 1.048 1.141",
    "faster 1.073 1.026 1.092",
  ],
  "lenet, replayed": [
    "unclear 0.8158 0.5571 1.195",
    "faster 1.126 1.070 1.406",
    "faster 1.123 1.068 1.254",
  ],
  "lenet, steady": [
    "unclear 1.075 1.050 1.102",
    "faster 1.074 1.013 1.165",
    "faster 1.057 1.011 1.100",
  ],
  "lenet, two levels": [
    "unclear 0.9076 0.5368 1.535",
    "unclear 1.061 0.7555 1.167",
    "faster 1.110 1.047 1.513",
  ],
  "mlp, replayed": [
    "unclear 1.054 0.8619 1.288",
    "unclear 1.087 0.8281 1.364",
    "unclear 1.212 0.9734 1.540",
  ],
  "resnet, random walk": [
    "unclear 1.016 0.9432 1.094",
    "unclear 1.071 0.9293 1.280",
    "unclear 0.9939 0.8830 1.119",
  ],
  "resnet, steady": [
    "unclear 1.034 0.9683 1.104",
    "unclear 1.032 0.8795 1.285",
    "unclear 0.9875 0.8751 1.099",
  ],
  "resnet, warming up": [
    "unclear 1.020 0.9061 1.149",
    "unclear 1.040 0.8877 1.277",
    "unclear 0.9946 0.8729 1.105",
  ],
  "wave of 1 rounds": [
    "unclear 1.158 1.101 1.218",
    "faster 1.090 1.045 1.173",
    "faster 1.112 1.048 1.161",
  ],
  "wave of 3 rounds": [
    "unclear 1.126 1.077 1.178",
    "faster 1.095 1.033 1.138",
    "faster 1.077 1.039 1.114",
  ],
};

Deno.test("simulated experiments end as they did", () => {
  deepStrictEqual(Object.fromEntries(machines.map(({ name }) => [name, outcome(name)])), KNOWN);
});

Deno.test("on a quiet machine 8 rounds tell an effect of 5 %, and that there is none", () => {
  const setup = { rounds: 8, minEffect: 0.01, controlArm: true };
  const { faster } = ratesOf({ ...setup, machine: unlikeCopies(0.01, 0), effects: [0.05] }, EXPERIMENTS);
  const { same, called } = ratesOf({ ...setup, machine: unlikeCopies(0.004, 0), effects: [0] }, EXPERIMENTS);
  ok(faster >= 0.95 && same >= 0.9 && called === 0, `${faster} found, ${same} called the same, ${called} called`);
});

Deno.test("equals are rarely called faster or slower, and intervals hold", () => {
  const rates = sampled(fitted, 9, { all: false }).map((machine) =>
    ratesOf({ machine, rounds: 8, effects: [0], minEffect: 0.01, controlArm: true }, EXPERIMENTS)
  );
  const mean = (rate: "called" | "covered") => rates.reduce((sum, rates) => sum + rates[rate], 0) / rates.length;
  ok(mean("called") <= 0.05 && mean("covered") >= 0.93, `${mean("called")} called, ${mean("covered")} covered`);
});
