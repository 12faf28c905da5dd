/**
 * Runs real experiments that compare a scenario with itself and counts the differences that they report. Needs an idle
 * machine.
 *
 *     deno task bench:aa                                   # ResNet-20, 20 runs
 *     deno task bench:aa --scenario mlp --runs 5 --rounds 8 --steps 10
 *
 * The two variants differ in an unused time-out. Exits with 1 if more than one run in twenty has a verdict other than
 * `same` or `unclear`.
 *
 * @module
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import lenet from "../scripts/lenet.ts";
import mlp from "../scripts/mlp.ts";
import resnet from "../scripts/resnet.ts";
import { runExperiment } from "../runtime/experiment/run_experiment.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";
import { percent, table } from "./simulation/markdown.ts";

const SCENARIOS = { resnet, lenet, mlp };

const { values: flags } = parseArgs({
  options: {
    scenario: { type: "string", default: "resnet" },
    runs: { type: "string", default: "20" },
    rounds: { type: "string", default: "8" },
    steps: { type: "string", default: "5" },
  },
});
const scenario = SCENARIOS[flags.scenario as keyof typeof SCENARIOS];
if (scenario === undefined) fail(`--scenario ${flags.scenario}: expected ${Object.keys(SCENARIOS).join(", ")}`);
const [runs, rounds, steps] = (["runs", "rounds", "steps"] as const).map((name) => {
  const value = Number(flags[name]);
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} ${flags[name]}: expected a positive integer`);
}) as [number, number, number];

let wrong = 0;
let held = 0;
const rows: string[][] = [];
for (let run = 0; run < runs; run++) {
  const resolved = resolveScenario(
    { ...scenario, variants: { baseline: {}, again: { loader: { timeout: 100_000 } } } },
    { seed: run + 1, rounds, steps },
  );
  const result = await runExperiment(resolved, {
    interrupted: () => false,
    profile: null,
    script: { file: null, sha256: null },
  });
  const { verdict, comparison, quality } = result.variants.find(({ name }) => name === "again")!;
  if (comparison === null) fail(`Run ${run + 1} has no complete round`, 1);
  const { value, low, high } = comparison.speedup;
  if (verdict !== "same" && verdict !== "unclear") wrong++;
  if (low !== null && high !== null && low <= 1 && high >= 1) held++;
  rows.push([
    String(run + 1),
    verdict ?? "–",
    `×${value.toFixed(3)}`,
    low === null || high === null ? "–" : `${low.toFixed(3)} to ${high.toFixed(3)}`,
    comparison.p?.toFixed(3) ?? "–",
    result.noiseFloor === null ? "–" : percent(result.noiseFloor),
    quality?.difference === 0 ? "identical" : String(quality?.difference ?? "–"),
    loadavg()[0]!.toFixed(1),
  ]);
  console.error(`run ${run + 1} of ${runs}: ${verdict} ×${value.toFixed(3)}`);
}
console.log(table(["run", "verdict", "speed-up", "interval", "p", "A/A %", "losses", "load"], rows));
console.log(
  `\n${flags.scenario} against itself, ${rounds} rounds of ${steps} steps: ${wrong} of ${runs} runs called faster, ` +
    `slower or invalid; ${held} of ${runs} intervals hold 1`,
);
if (wrong > runs / 20) Deno.exit(1);

function fail(message: string, status = 2): never {
  console.error(message);
  Deno.exit(status);
}
