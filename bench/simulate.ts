/**
 * Tests the reliability of comparisons: judges simulated experiments, whose noise is fitted to recorded blocks
 * (bench/noise/), with the code that judges real ones.
 *
 *     deno task bench:simulate                           # all tables: about four minutes
 *     deno task bench:simulate --experiments 2000        # more experiments of each kind
 *     deno task bench:simulate --only rounds,candidates  # some of the tables
 *     deno task bench:simulate --record                  # also writes the main tables to bench/results/
 *     deno task bench:simulate noise mlp                 # records bench/noise/mlp.json: see simulation/record_noise.ts
 *
 * Power is estimated from a quarter of the experiments. Exits with 1 if, beyond what chance explains, more than 5 % of
 * the comparisons of equals are called faster or slower.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { recorder } from "./record/recorder.ts";
import { candidateTable } from "./simulation/candidates.ts";
import type { Setup } from "./simulation/experiments.ts";
import { fitNoise } from "./simulation/fit.ts";
import { calledByBand } from "./simulation/floors.ts";
import { type Machine, machinesOf, madeMachines, unlikeCopies } from "./simulation/machines.ts";
import { mean, percent, ranged, table } from "./simulation/markdown.ts";
import { type Rates, ratesOf } from "./simulation/rates.ts";
import { nodeTable } from "./simulation/nodes.ts";
import { readRecordings } from "./simulation/recording.ts";
import { oddMachines } from "./simulation/odd_machines.ts";
import { processTable } from "./simulation/processes.ts";
import { setupTables } from "./simulation/setups.ts";
import { stopAtPrecision } from "./simulation/stopping.ts";

const ROUNDS = [6, 8, 12, 20];
const EFFECTS = [0.02, 0.05, 0.1];
const TABLES = {
  ...{ fits, rounds, machines, candidates, procedure, odd, matrices, setups, processes, nodes, floors, stopping },
};
/** Default of a scenario's `minEffect`. */
const MIN_EFFECT = 0.01;
/** Standard deviation of blocks on a quiet machine, for which no recording exists. */
const QUIET = 0.01;

const { args, record } = await recorder("simulate");
if (args[0] === "noise") {
  const { recordNoise } = await import("./simulation/record_noise.ts");
  await recordNoise(args.slice(1));
  Deno.exit();
}
const { values: flags } = parseArgs({
  args,
  options: { experiments: { type: "string", default: "500" }, only: { type: "string" } },
});
const experiments = Number(flags.experiments);
if (!Number.isInteger(experiments) || experiments < 4) fail(`--experiments ${flags.experiments}: expected 4 or more`);
const chosen = flags.only?.split(",") ?? Object.keys(TABLES);
const recordings = readRecordings();
const noises = [...recordings].map(([name, recording]) => [name, fitNoise(recording)] as const);
const bursting = madeMachines(3).filter(({ name }) => name.startsWith("bursts"));
const simulated = [...noises.flatMap(([name, noise]) => machinesOf(name, noise)), ...bursting, quiet()];
const trials = new Map<string, { equal: Rates; powers: readonly number[] }>();
/** Subset of the machines, for slow tables. */
const some = simulated.filter(({ name }) => /steady|bursts|drift|replayed|quiet/.test(name));
/** Largest false-positive rate in any table of equals. */
let worst = 0;
for (const name of chosen) {
  if (!(name in TABLES)) fail(`--only ${name}: expected some of ${Object.keys(TABLES).join(", ")}`);
  console.log(`${TABLES[name as keyof typeof TABLES]()}\n`);
}
const allowed = 0.05 + 3 * Math.sqrt(0.05 * 0.95 / experiments);
if (worst > allowed) fail(`${percent(worst)} % of some equals were called faster or slower`, 1);

function setup(machine: Machine, rounds: number, ...effects: number[]): Setup {
  return { machine, rounds, effects, minEffect: MIN_EFFECT, controlArm: true };
}

function quiet(): Machine {
  return { ...unlikeCopies(QUIET, 0), name: `quiet, ±${percent(QUIET)} %` };
}

/** Returns the rates for a variant that equals the baseline, and how often each effect is called faster. */
function trial(machine: Machine, rounds: number): { equal: Rates; powers: readonly number[] } {
  const key = `${machine.name} ${rounds}`;
  let known = trials.get(key);
  if (known === undefined) {
    const equal = ratesOf(setup(machine, rounds, 0), experiments);
    worst = Math.max(worst, equal.called);
    trials.set(key, known = { equal, powers: powersOf(machine, rounds) });
  }
  return known;
}

function powersOf(machine: Machine, rounds: number): number[] {
  return EFFECTS.map((effect) => ratesOf(setup(machine, rounds, effect), Math.ceil(experiments / 4)).faster);
}

type Rated = Readonly<Record<string, number>>;

function fits(): string {
  const rows = noises.map(([name, noise]) => {
    const { load, steps, walls } = recordings.get(name)!;
    const { white, drift, bursts, levels, freedom, step, copies } = noise;
    return [
      name,
      `${walls.flat().length} of ${steps}`,
      load.map((value) => value.toFixed(1)).join(" to "),
      percent(white),
      `${percent(drift.size)}, ${drift.correlation.toFixed(2)}`,
      `${percent(bursts.share)} of +${percent(bursts.size)}`,
      `${percent(levels.gap)}, ${percent(levels.upper)} up`,
      String(freedom),
      percent(step),
      percent(copies),
    ];
  });
  const head = [
    "recording",
    "blocks",
    "load",
    "white",
    "drift, correlation",
    "bursts",
    "levels",
    "t",
    "step",
    "copies",
  ];
  return `Fitted noise of blocks, in % of their time.\n\n${table(head, rows)}`;
}

function rounds(): string {
  const rows = ROUNDS.map((rounds) => {
    const outcomes = simulated.map((machine) => trial(machine, rounds));
    const [called, covered] = [outcomes.map(({ equal }) => equal.called), outcomes.map(({ equal }) => equal.covered)];
    record(`${rounds} rounds, ${simulated.length} machines`, {
      false_verdicts_percent: 100 * mean(called),
      most_false_verdicts_percent: 100 * Math.max(...called),
      coverage_percent: 100 * mean(covered),
      least_coverage_percent: 100 * Math.min(...covered),
      ...Object.fromEntries(
        EFFECTS.map((effect, i) => [
          `finds_${100 * effect}_percent`,
          100 * mean(outcomes.map(({ powers }) => powers[i]!)),
        ]),
      ),
      experiments_count: experiments,
    });
    return [
      String(rounds),
      ranged(called),
      ranged(covered),
      ...EFFECTS.map((_, i) => ranged(outcomes.map(({ powers }) => powers[i]!))),
    ];
  });
  const head = ["rounds", "false faster or slower", "coverage", ...EFFECTS.map((e) => `power at ${percent(e)} %`)];
  return `All ${simulated.length} machines: mean and range in %.\n\n${table(head, rows)}`;
}

function machines(): string {
  const at = [8, 20];
  const rows = simulated.map((machine) => [
    machine.name,
    ...at.flatMap((rounds) => {
      const { equal, powers } = trial(machine, rounds);
      return [percent(equal.called), percent(equal.covered), powers.map(percent).join(" / ")];
    }),
  ]);
  const head = ["machine", ...at.flatMap((rounds) => [`${rounds} rounds: false`, "coverage", "power at 2 / 5 / 10 %"])];
  return table(head, rows);
}

function candidates(): string {
  const count = Math.ceil(experiments / 4);
  return "Candidates: coverage of no effect; how often an effect of 10 % lies outside of the interval and of `minEffect`. " +
    `Mean and range in %.\n\n${candidateTable([6, 8, 10, 12, 16, 20], simulated, 0.1, count)}`;
}

/** Carry-over from one arm to the next block, and waves, judged by false verdicts. */
function procedure(): string {
  return madeTable((arms) => madeMachines(arms).filter(({ name }) => !name.startsWith("bursts")));
}

/** Noise that no recording shows. */
function odd(): string {
  return madeTable(oddMachines);
}

function madeTable(machinesFor: (arms: number) => readonly Machine[]): string {
  const cells = [[1, 8], [1, 20], [4, 12]] as const;
  const count = Math.ceil(experiments / 2);
  const rows = machinesFor(3).map(({ name }, i) => {
    const outcomes = cells.map(([variants, rounds]) => {
      const machine = machinesFor(variants + 2)[i]!;
      const { called, covered } = ratesOf(setup(machine, rounds, ...new Array<number>(variants).fill(0)), count);
      if (machine.carryOver?.onItself !== false) worst = Math.max(worst, called);
      const [faster] = variants > 1 ? [null] : [ratesOf(setup(machine, rounds, 0.1), Math.ceil(count / 4)).faster];
      if (rounds === 20) {
        record(`20 rounds, ${name}`, {
          false_verdicts_percent: 100 * called,
          coverage_percent: 100 * covered,
          finds_10_percent: 100 * faster!,
          experiments_count: count,
        });
      }
      return [percent(called), percent(covered), ...faster === null ? [] : [percent(faster!)]].join(" / ");
    });
    return [name, ...outcomes];
  });
  const head = [
    "machine",
    ...cells.map(([variants, rounds]) =>
      `${variants} of ${rounds} rounds: false / coverage${variants > 1 ? "" : " / power at 10 %"}`
    ),
  ];
  return table(head, rows);
}

function matrices(): string {
  const rows = [5, 20].flatMap((variants) =>
    [8, 12].map((rounds) => {
      const rates = some.map((machine) =>
        ratesOf(setup(machine, rounds, ...new Array<number>(variants).fill(0)), Math.ceil(experiments / 4)).called
      );
      return [String(variants), String(rounds), ranged(rates)];
    })
  );
  return `Matrices of equals: those with any variant called faster or slower, mean and range in %.\n\n` +
    table(["variants", "rounds", "false faster or slower"], rows);
}

function setups(): string {
  const tables = setupTables(experiments);
  worst = Math.max(worst, tables.worst);
  return tables.text;
}

function processes(): string {
  const kinds = some.filter(({ name }) => /mlp, (?:steady|bursts|drift)|quiet/.test(name));
  const inProcesses = processTable(kinds, Math.ceil(experiments / 2));
  worst = Math.max(worst, inProcesses.worst);
  return inProcesses.text;
}

function nodes(): string {
  const kinds = some.filter(({ name }) => /mlp, (?:steady|bursts|drift)|quiet/.test(name));
  const merged = nodeTable(kinds, Math.ceil(experiments / 2));
  worst = Math.max(worst, merged.worst);
  return merged.text;
}

function floors(): string {
  const rows = [0.01, 0.03].flatMap((white) =>
    [0, 0.02].map((offsets) => {
      const machine = unlikeCopies(white, offsets);
      const [equal, effect] = [0, 0.05].map((of) =>
        calledByBand({ ...setup(machine, 8, of), roundsPerSetup: 1 }, experiments)
      ) as [Rated, Rated];
      const figures = Object.keys(equal).map((name) => `${percent(equal[name]!)} / ${percent(effect[name]!)}`);
      return { cells: [percent(white), percent(offsets), ...figures], names: Object.keys(equal) };
    })
  );
  return `8 rounds, by band: equals that are called / an effect of 5 % that is found, in %.\n\n` +
    table(["noise", "set-ups differ by", ...rows[0]!.names], rows.map(({ cells }) => cells));
}

function stopping(): string {
  const count = Math.ceil(experiments / 20);
  const rows = [0.02, 0.05, 0.1].map((precision) => {
    const outcomes = some.map((machine) => {
      let [called, covered, rounds] = [0, 0, 0];
      for (let seed = 0; seed < count; seed++) {
        const stopped = stopAtPrecision(
          { machine, effects: [0], minEffect: MIN_EFFECT, controlArm: true },
          precision,
          seed,
        );
        const { verdict, comparison } = stopped.comparisons.byName.get("variant0")!;
        if (verdict === "faster" || verdict === "slower") called++;
        if (comparison!.speedup.low! <= 1 && comparison!.speedup.high! >= 1) covered++;
        rounds += stopped.rounds;
      }
      return { called: called / count, covered: covered / count, rounds: rounds / count };
    });
    worst = Math.max(worst, mean(outcomes.map(({ called }) => called)));
    return [
      `±${percent(precision)} %`,
      mean(outcomes.map(({ rounds }) => rounds)).toFixed(1),
      ranged(outcomes.map(({ called }) => called)),
      ranged(outcomes.map(({ covered }) => covered)),
    ];
  });
  return `Stopping at a precision, ${count} experiments each: mean and range in %.\n\n` +
    table(["precision", "rounds", "false faster or slower", "coverage"], rows);
}

function fail(message: string, status = 2): never {
  console.error(message);
  Deno.exit(status);
}
