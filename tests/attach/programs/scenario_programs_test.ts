import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { program, type ProgramSpec, readResult } from "../../../mod.ts";
import { dryRun } from "../../../runtime/experiment/run_experiment.ts";
import { renderMarkdown } from "../../../runtime/report/markdown/markdown.ts";
import { renderOutcome } from "../../../runtime/report/outcome/outcome.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { MemoryRecorder, runScenario, tiny } from "../../experiment/running.ts";
import { fullTest } from "../../support/full.ts";

const file = join(import.meta.dirname!, "../../fixtures/programs/train.ts");
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

const LOOK = { columns: 120, color: false, flags: true };
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
  equal(baseline!.attached, undefined);
});

Deno.test("a program is profiled after the rounds: account, kernels, exact counts and advice, in all reports", async () => {
  const result = await runScenario(comparison({ a: train("work=3"), b: { ...train(), profile: false } }));
  const [a, b] = result.variants;
  equal(b!.attached, undefined);
  const [device] = a!.attached!.devices;
  equal(device!.kernels[0]!.perStep, 3);
  ok(device!.account!.kernels > 0 && device!.account!.wall > device!.account!.kernels);
  const { dispatches, submits, waits, newBuffers, buffers, peakBytes } = a!.exact!;
  deepEqual([dispatches, submits, waits, newBuffers, buffers, peakBytes], [3, 1, 1, 0, 1, 4096]);
  const wait = a!.findings.find(({ kind }) => kind === "waits");
  match(wait!.message, /1 wait and 0 mapped reads per step, at most \S+ ms of a step: /);
  deepEqual(readResult(JSON.parse(JSON.stringify(result))).variants[0]!.attached, a!.attached);
  const text = renderOutcome(result, { ...LOOK, raw: false, advice: true });
  match(text, /A step of each program, in ms[^]*\na /);
  match(text, /Calls in a step of each program/);
  match(text, /needs a change to the program/);
  match(renderMarkdown(result, { command: null }), /a: Kernels: 1, by time of a step/);
});

fullTest("a program that cannot be profiled keeps its measurements", async () => {
  const warnings: string[] = [];
  const once = await Deno.makeTempFile();
  const { variants } = await runScenario(comparison({ a: train(), b: train(`once=${once}`) }), {
    onEvent: (event) => void (event.type === "warning" && warnings.push(event.message)),
  });
  await Deno.remove(once).catch(() => {});
  deepEqual([variants[1]!.status, variants[1]!.attached], ["ok", undefined]);
  match(warnings.join("\n"), /b was measured, but not profiled: The program ended with status 1/);
});

fullTest("a program as the baseline has the control arm, and its losses are compared", async () => {
  const { variants, procedure } = await runScenario(comparison({ a: train(), b: train() }));
  equal(procedure!.secondArm!.name, "a#2");
  equal(variants.at(-1)!.quality!.difference, 0);
});

// kept_versus_test.ts resumes one, too
fullTest("an interrupted comparison resumes with programs that start again", async () => {
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

Deno.test("programs run in fresh processes, too, which begin with their first step", async () => {
  const { variants, procedure } = await runScenario({
    ...comparison({ a: { ...train(), profile: false }, b: { ...train(), profile: false } }),
    ...{ measure: { ...measure, processes: 2, aa: false } },
  });
  for (const { blocks, losses } of variants) {
    deepEqual(blocks.map(({ setup, steps }) => [setup, steps[0]!.index]), [[0, 1], [1, 1]]);
    deepEqual(losses, [1, 1 / 2, 1 / 3]);
  }
  deepEqual([procedure!.setups.count, procedure!.setups.processes], [2, true]);
});

fullTest("steps without waits are explained: the work of the step before is timed, too", async () => {
  const { variants } = await runScenario(comparison({ a: train("wait=never"), b: { ...train(), profile: false } }));
  const { account, accountedSteps } = variants[0]!.attached!.devices[0]!;
  ok(accountedSteps > 0);
  equal(account!.idle.unexplained, 0, "no accounted step follows work that was not timed");
});

Deno.test("cold starts are fresh processes, whose time to the first result is split", async () => {
  const cold = (...args: string[]) => ({ ...train(...args), start: "cold" as const });
  const result = await runScenario(comparison({ a: cold(), gone: cold("end=missing") }));
  const [a, gone] = result.variants;
  equal(a!.metrics.ips!.unit, "starts/s");
  deepEqual(a!.losses, [1, 1]);
  for (const { wall, start, steps } of a!.blocks) {
    const { loading, compilation, upload, firstRun } = start!;
    deepEqual([steps.length, upload], [1, 0]);
    ok(loading > 0 && compilation > 0 && firstRun > 0);
    ok(Math.abs(loading + compilation + upload + firstRun - wall) < 1e-6);
  }
  match(gone!.error!.message, /ended with status 1 before/);
  match(renderOutcome(result, { ...LOOK, raw: false, advice: false }), /Time to the first result, in ms[^]*\na +2 /);
  equal(result.procedure!.secondArm!.blocks.length, 2);
});

Deno.test("a program without a device is held at its marks", async () => {
  const code = 'for (let i = 0;; i++) performance.mark("step", { detail: { loss: i } });';
  const file = await Deno.makeTempFile({ suffix: ".js" });
  await Deno.writeTextFile(file, code);
  const { variants, environment } = await runScenario(comparison({ own: program(["deno", "run", file]) }));
  await Deno.remove(file);
  deepEqual([variants[0]!.status, variants[0]!.blocks.length, environment.adapter], ["ok", 2, null]);
  deepEqual(variants[0]!.losses, [0, 1, 2, 3, 4]);
});

Deno.test("a folder that does not exist is named", async () => {
  const missing = program("deno run a.ts", { unit: "samples", cwd: "/nowhere" });
  const { variants } = await runScenario(comparison({ a: train(), missing }));
  equal(variants[0]!.status, "ok");
  match(variants[1]!.error!.message, /cannot be started: cwd \/nowhere is not found/);
});

Deno.test("a program in another unit than the variants is refused, with the fix", async () => {
  await rejects(runScenario(tiny({ programs: { own: { ...train(), unit: "steps" } }, measure })), {
    name: "InputError",
    message: 'programs.own.unit: steps/s cannot be compared with samples/s of baseline; set unit to "samples", and ' +
      "perStep to the number of samples in a step",
  });
});

Deno.test("a dry run lists programs and starts none", async () => {
  const { variants } = await dryRun(
    resolveScenario({ name: "programs", programs: { a: program("deno run none.ts") } }),
  );
  equal((variants[0]!.config as Record<string, Record<string, unknown>>)["program"]!["command"], "deno run none.ts");
});
