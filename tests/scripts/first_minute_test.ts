/**
 * The first commands that the README names have to convince on a machine without a GPU: their rounds must find a large effect
 * and report none where there is none. The procedure runs on blocks recorded with the same settings:
 * `deno task bench:simulate noise demo` and `deno task bench:simulate noise first`.
 */
import assert from "node:assert/strict";
import { simulate } from "../../bench/simulation/experiments.ts";
import { fitNoise } from "../../bench/simulation/fit.ts";
import { machinesOf } from "../../bench/simulation/machines.ts";
import { FIRST_MINUTE, readRecordings } from "../../bench/simulation/recording.ts";
import first from "../../examples/01_first_scenario.ts";
import { SOFTWARE } from "../../runtime/scenario/adapters.ts";
import { type ResolvedScenario, resolveScenario } from "../../runtime/scenario/resolve.ts";
import resnet from "../../scripts/resnet.ts";
import { full } from "../support/full.ts";

const EXPERIMENTS = full ? 200 : 60;

/** Scripts with the name of their recording, and the true effect that they must find. */
const SCRIPTS = [
  {
    script: "scripts/resnet.ts",
    file: "demo",
    effect: 0.5,
    resolved: resolveScenario(resnet, { adapters: [SOFTWARE] }),
  },
  { script: "examples/01", file: "first", effect: 0.2, resolved: resolveScenario(first) },
];

/** Returns the verdicts on the variants of each experiment; the first variant has the given effect. */
function verdictsOf(file: string, { measure, variants }: ResolvedScenario, effect: number): (string | null)[][] {
  const replayed = machinesOf(file, fitNoise(readRecordings(FIRST_MINUTE).get(file)!)).find(({ name }) =>
    name === `${file}, replayed`
  );
  const setup = {
    machine: replayed!,
    rounds: measure.rounds,
    roundsPerSetup: 1,
    effects: [effect, ...Array.from({ length: variants.length - 2 }, () => 0)],
    minEffect: measure.minEffect,
    controlArm: measure.aa,
  };
  return Array.from({ length: EXPERIMENTS }, (_, seed) => {
    const { byName } = simulate(setup, seed);
    return setup.effects.map((_, i) => byName.get(`variant${i}`)!.verdict);
  });
}

for (const { script, file, effect, resolved } of SCRIPTS) {
  Deno.test(`the recorded blocks are those of ${script}`, () => {
    const { measure, variants } = resolved;
    const { steps, samples } = readRecordings(FIRST_MINUTE).get(file)!;
    assert.equal(steps, measure.steps);
    assert.equal(samples, measure.steps * variants[0]!.config.loader.batchSize);
    assert(measure.rounds >= 8, `${measure.rounds} rounds`);
  });

  Deno.test(`a planted effect of ${effect * 100} % is found in 9 of 10 runs of ${script}`, () => {
    const found = verdictsOf(file, resolved, effect).filter(([first]) => first === "faster").length;
    assert(found >= 0.9 * EXPERIMENTS, `${found} of ${EXPERIMENTS}`);
  });

  Deno.test(`equal variants get no verdict in 19 of 20 runs of ${script}`, () => {
    const called = verdictsOf(file, resolved, 0).filter((verdicts) =>
      verdicts.some((one) => one === "faster" || one === "slower")
    ).length;
    assert(called <= 0.05 * EXPERIMENTS, `${called} of ${EXPERIMENTS}`);
  });
}
