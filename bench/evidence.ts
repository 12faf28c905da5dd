/**
 * Runs real experiments with equal variants and with planted delays, keeps all of their blocks, and counts false verdicts
 * and power. bench/protocol.md says what runs and what counts.
 *
 *     deno task bench:evidence --runs 20    # a part of 20 runs: 10 A/A and 10 planted
 *     deno task bench:evidence --report     # tables of all parts
 *
 * @module
 */
import { parseArgs } from "node:util";
import { adamW, crossEntropy, flatten, mlp, sequential, syntheticImages } from "../mod.ts";
import { runExperiment } from "../runtime/experiment/run_experiment.ts";
import type { Result } from "../runtime/result/schema.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";
import { OtherLoad } from "./evidence/other_load.ts";
import { reportTables } from "./evidence/report.ts";
import { appendRun, type EvidenceRun, readRuns } from "./evidence/runs.ts";

const ROUNDS = 12;
const STEPS = 5;
/** Sleep of every arm's loader, in ms per batch, so that a planted delay adds no call. */
const SLEEP = 1;
const PLANTED = { slow2: 0.02, slow5: 0.05, slow10: 0.1 };

const { values: flags } = parseArgs({
  options: { runs: { type: "string", default: "20" }, report: { type: "boolean", default: false } },
});
const runs = Number(flags.runs);
if (!Number.isInteger(runs) || runs < 1) fail(`--runs ${flags.runs}: expected a positive integer`);
if (flags.report) console.log(reportTables(readRuns()));
else await runPart();

async function runPart(): Promise<void> {
  const first = Math.max(0, ...readRuns().map(({ seed }) => seed)) + 1;
  let { stepMs } = await runOne("aa", 0, 0);
  for (let i = 0; i < runs; i++) {
    const done = await runOne(i % 2 === 0 ? "aa" : "planted", first + i, stepMs);
    appendRun(done.run);
    stepMs = done.stepMs;
    const verdicts = Object.entries(done.run.verdicts).map(([name, verdict]) => `${name} ${verdict}`).join(", ");
    console.error(`run ${i + 1} of ${runs}: ${verdicts}; ${done.run.otherLoad.toFixed(2)} cores used by others`);
  }
}

async function runOne(
  kind: EvidenceRun["kind"],
  seed: number,
  stepMs: number,
): Promise<{ run: EvidenceRun; stepMs: number }> {
  const delays = kind === "aa" ? {} : Object.fromEntries(
    Object.entries(PLANTED).map(([name, part]) => [name, part * stepMs]),
  );
  const data = (delay: number) =>
    syntheticImages({
      ...{ channels: 1, height: 28, width: 28, classes: 10, length: 2000 },
      delay: { collate: SLEEP + delay },
    });
  const scenario = {
    name: "evidence",
    model: sequential(flatten(), mlp({ hidden: [64, 64], classes: 10 })),
    loss: crossEntropy(),
    optimizer: adamW({ learningRate: 1e-3 }),
    data: data(0),
    loader: { batchSize: 32 },
    measure: { rounds: ROUNDS, steps: STEPS },
    variants: kind === "aa"
      ? { baseline: {}, again: { loader: { timeout: 100_000 } } }
      : { baseline: {}, ...Object.fromEntries(Object.entries(delays).map(([name, ms]) => [name, { data: data(ms) }])) },
  };
  const load = OtherLoad.start();
  const result = await runExperiment(resolveScenario(scenario, { seed }), {
    interrupted: () => false,
    profile: null,
    script: { file: null, sha256: null },
  });
  return { run: evidenceOf(result, kind, seed, delays, load.end()), stepMs: medianStep(result) };
}

function evidenceOf(
  { variants, procedure, environment, baseline }: Result,
  kind: EvidenceRun["kind"],
  seed: number,
  delays: Record<string, number>,
  otherLoad: number,
): EvidenceRun {
  const { secondArm, order, setups } = procedure!;
  const arms = [...variants, secondArm!];
  return {
    ...{ kind, seed, date: new Date().toISOString(), adapter: environment.adapter?.name ?? null, otherLoad, delays },
    ...{ order, setups, baseline, controlArm: secondArm!.name },
    minEffect: procedure!.minEffect,
    blocks: Object.fromEntries(
      arms.map(({ name, blocks }) => [
        name,
        blocks.map(({ round, setup = 0, position, samples, wall }) => ({ round, setup, position, samples, wall })),
      ]),
    ),
    verdicts: Object.fromEntries(
      variants.filter(({ name }) => name !== baseline).map(({ name, verdict }) => [name, verdict]),
    ),
  };
}

/** Returns the median time of the baseline's steps, in ms. */
function medianStep({ variants, baseline }: Result): number {
  const { stepTimes } = variants.find(({ name }) => name === baseline)!;
  return stepTimes?.median ?? fail("The baseline has no step times", 1);
}

function fail(message: string, status = 2): never {
  console.error(message);
  Deno.exit(status);
}
