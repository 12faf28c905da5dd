import { equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { program, type ProgramSpec } from "../../mod.ts";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { MemoryRecorder, runScenario, tiny } from "../experiment/running.ts";

const file = join(import.meta.dirname!, "../fixtures/programs/train.ts");
const train = (...args: string[]) =>
  program([Deno.execPath(), "run", "-A", "--no-check", file, "mark", ...args], {
    unit: "samples",
    perStep: 4,
    steps: "mark",
  });
/** A scenario of programs only. */
function comparison(programs: Readonly<Record<string, ProgramSpec>>, rounds = 2): { name: string } {
  return { name: "programs", ...{ programs, measure: { ...measure, rounds } } };
}

const measure = { steps: 2, skip: 1, maxSkip: 1, rounds: 2 };

Deno.test("a variant and a program are interleaved in one matrix, with a control arm", async () => {
  const { variants, procedure, environment, noiseFloor } = await runScenario(
    tiny({ programs: { own: train() }, measure }),
  );
  const [baseline, own] = variants;
  equal(baseline!.metrics.ips!.unit, own!.metrics.ips!.unit);
  equal(own!.config.mode, "program");
  equal(own!.blocks.length, 2);
  ok(own!.comparison !== null && noiseFloor !== null && environment.adapter !== null);
  equal(procedure!.secondArm!.name, "baseline#2");
  for (const order of procedure!.order) equal(new Set(order).size, 3);
});

Deno.test("a program as the baseline has the control arm, and its losses are compared", async () => {
  const { variants, procedure } = await runScenario(comparison({ a: train(), b: train() }));
  equal(procedure!.secondArm!.name, "a#2");
  equal(variants.at(-1)!.quality!.difference, 0);
});

Deno.test("an interrupted comparison resumes with programs that start again", async () => {
  const scenario = comparison({ a: train(), b: train() }, 3);
  const recorder = new MemoryRecorder();
  const stops = () => recorder.kept.rounds.length === 1;
  const first = await runScenario(scenario, { runRecorder: recorder, stops });
  equal(first.variants[0]!.status, "interrupted");
  const again = await runScenario(scenario, { runRecorder: recorder.again() });
  equal(again.variants[1]!.status, "ok");
  equal(again.variants[1]!.blocks.length, 3);
  equal(again.variants[1]!.losses[0], 1);
  ok(again.variants[1]!.losses.every((loss, i) => loss === 1 / (i + 1)));
});

Deno.test("a folder that does not exist is named", async () => {
  const missing = program("deno run a.ts", { cwd: "/nowhere" });
  const { variants } = await runScenario(comparison({ a: train(), missing }));
  equal(variants[0]!.status, "ok");
  match(variants[1]!.error!.message, /cannot be started: cwd \/nowhere is not found/);
});

Deno.test("a dry run lists programs and starts none", async () => {
  const { variants } = await dryRun(
    resolveScenario({ name: "programs", programs: { a: program("deno run none.ts") } }),
  );
  equal((variants[0]!.config as Record<string, Record<string, unknown>>)["program"]!["command"], "deno run none.ts");
});
