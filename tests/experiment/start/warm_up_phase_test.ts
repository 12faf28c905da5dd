/** Compilation before the first step: each shader moves the progress, and no loss depends on it. */
import assert from "node:assert/strict";
import { crossEntropy, mlp, sgd } from "../../../mod.ts";
import type { ProgressEvent } from "../../../runtime/result/run_event.ts";
import { DEFAULT_PROFILE } from "../../../runtime/record/schedule.ts";
import { createTrainer } from "../../../runtime/trainer/create_trainer.ts";
import { runScenario, tiny } from "../running.ts";
import { Steadiness } from "../../../runtime/experiment/start/warm_up_phase.ts";

const scenario = tiny({
  model: mlp({ hidden: [6], classes: 3 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
});

/** Runs the scenario, and returns its losses and the progress of compiling. */
async function run(options: Parameters<typeof runScenario>[1] = {}) {
  const compiling: ProgressEvent[] = [];
  const stops = (event: ProgressEvent) => {
    if (event.stage === "compile") compiling.push(event);
    return options.stops?.(event) ?? false;
  };
  const { variants } = await runScenario(scenario, { ...options, stops });
  return { variant: variants[0]!, compiling };
}

Deno.test("the progress moves with each shader of the first arm; the control arm shares them", async () => {
  const { variant, compiling } = await run();
  const ofArm = (name: string) =>
    compiling.filter(({ variant }) => variant === name).map(({ step, steps }) => ({ step, steps }));
  const pipelines = ofArm("baseline");
  const start = pipelines.findLastIndex(({ step }) => step === 0);
  const shaders = pipelines.slice(start);
  assert.ok(shaders.length > 4, `${shaders.length} shaders`);
  assert.deepEqual(shaders.map(({ step }) => step), Array.from(shaders, (_, i) => i));
  assert.equal(shaders.at(-1)!.step, shaders[0]!.steps);
  assert.ok(pipelines[start - 1]!.step > 0, "creating pipelines moves it too");
  assert.equal(ofArm("baseline#2").filter(({ step }) => step === 0).length, 0);
  assert.ok(variant.metrics.firstStep!.value > 0);
});

Deno.test("losses are those of a trainer, with and without a profile", async () => {
  await using trainer = await createTrainer(scenario);
  const expected: number[] = [];
  for (let i = 0; i < 6; i++) expected.push((await trainer.step()).loss!);
  const plain = await run();
  assert.deepEqual(plain.variant.losses.slice(0, 6), expected);
  const profiled = await run({ profile: DEFAULT_PROFILE });
  assert.deepEqual(profiled.variant.losses.slice(0, 6), expected);
  assert.ok(profiled.compiling.length > 4, "each op's first run moves the progress");
});

Deno.test("an interruption ends the compilation", async () => {
  const { variant } = await run({ stops: ({ stage, step }) => stage === "compile" && step === 1 });
  assert.deepEqual([variant.status, variant.losses], ["interrupted", []]);
});

/** Returns the number of steps after which times are steady, or null. */
function steadyAfter(times: readonly number[], steps = 1): number | null {
  const steadiness = new Steadiness();
  for (const [i, time] of times.entries()) {
    steadiness.add(time, steps);
    if (steadiness.steady) return (i + 1) * steps;
  }
  return null;
}

Deno.test("times are steady after three steps without a gain", () => {
  assert.equal(steadyAfter([1000, 100, 101, 99, 98]), 5, "the first step compiles");
  assert.equal(steadyAfter([1000, 200, 150, 120, 100, 100, 100, 100]), 8);
  assert.equal(steadyAfter([100, 100, 100, 100]), 4, "nothing to warm up");
});

Deno.test("outliers do not delay steadiness, and times that keep falling are never steady", () => {
  assert.equal(steadyAfter([1000, 100, 500, 101, 900]), 5);
  assert.equal(steadyAfter(Array.from({ length: 20 }, (_, i) => 1000 * 0.9 ** i)), null);
});

Deno.test("a sink counts as its number of steps", () => {
  assert.equal(steadyAfter([300, 100, 100], 10), 30);
  assert.equal(steadyAfter([300, 100, 100, 100], 2), 8);
});
