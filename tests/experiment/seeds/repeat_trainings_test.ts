import assert from "node:assert/strict";
import { renderOutcome } from "../../../runtime/report/outcome/outcome.ts";
import type { ProgressEvent } from "../../../runtime/result/run_event.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { createTrainer } from "../../../runtime/trainer/create_trainer.ts";
import { loaderOnly, MemoryRecorder, runScenario, tiny } from "../running.ts";

const SWEPT = {
  seeds: 3,
  evaluate: { every: 1 },
  sweep: { zip: { "optimizer.learningRate": [0.1, 0.1, 0.0001], sink: [0, 3, 0] } },
};

Deno.test("each variant is trained with each seed, as a trainer with that seed would", async () => {
  const stages: ProgressEvent[] = [];
  const result = await runScenario(tiny(SWEPT), { stops: (event) => (stages.push(event), false) });
  const [baseline, sunk, slow] = result.variants;
  const { steps, window, runs, loss, lossDifference } = baseline!.seeds!;
  const common = Math.min(...result.variants.map(({ losses }) => losses.length));
  assert.equal(steps, common - common % 3, "whole sinks of every variant");
  assert.deepEqual(runs.map(({ seed }) => seed), [1, 2, 3]);
  assert.ok(new Set(runs.map(({ loss }) => loss)).size === 3 && runs.every(({ accuracy }) => accuracy !== null));
  assert.equal(lossDifference, null, "the baseline has no difference");
  for (const { seed, loss } of runs.slice(0, 2)) {
    await using trainer = await createTrainer(
      { ...tiny({ optimizer: { kind: "sgd", learningRate: 0.1 } }), seed } as never,
    );
    const losses: number[] = [];
    for (let i = 0; i < steps; i++) losses.push((await trainer.step()).loss!);
    assert.equal(loss, losses.slice(-window).reduce((sum, one) => sum + one, 0) / window, `seed ${seed}`);
  }
  const measured = baseline!.losses.slice(steps - window, steps) as number[];
  assert.equal(
    runs[0]!.loss,
    measured.reduce((sum, one) => sum + one, 0) / window,
    "the first seed is the measured one",
  );
  assert.deepEqual(sunk!.seeds!.runs, runs, "a sink changes no loss");
  assert.deepEqual(sunk!.seeds!.lossDifference, { value: 0, low: 0, high: 0 });
  const differences = slow!.seeds!.runs.map(({ loss }, i) => Number(loss) - Number(runs[i]!.loss));
  const mean = differences.reduce((sum, one) => sum + one, 0) / 3;
  assert.ok(mean !== 0 && Math.abs(slow!.seeds!.lossDifference!.value - mean) < 1e-12, "paired by seed");
  assert.ok(loss!.low! < loss!.value);
  assert.ok(stages.some(({ stage, message, step }) => stage === "seeds" && message === "seed 3/3" && step > 0));
  assert.deepEqual(result.front!.objectives, ["speed", "memory", "loss"]);
  const text = renderOutcome(result, { columns: 100, color: false, raw: false, advice: false });
  assert.match(text, /^Losses and accuracies over several seeds$/m);
  assert.match(text, /mean over 3 trainings of \d+ steps, seeds 1 to 3; loss: mean of the last \d+ steps/);
});

Deno.test("an interruption keeps the trainings that are complete", async () => {
  const result = await runScenario(tiny({ seeds: 3 }), {
    stops: ({ stage, message }) => stage === "seeds" && message === "seed 2/3",
  });
  assert.equal(result.variants[0]!.status, "interrupted");
  assert.deepEqual(result.variants[0]!.seeds!.runs.map(({ seed }) => seed), [1]);
});

Deno.test("a resumed run skips the trainings that are complete", async () => {
  const scenario = tiny({ seeds: 3, evaluate: { every: 1 } });
  const whole = await runScenario(scenario);
  const runRecorder = new MemoryRecorder();
  await runScenario(scenario, {
    runRecorder,
    stops: ({ stage, message, step }) => stage === "seeds" && message === "seed 2/3" && step > 0,
  });
  const { trainings } = runRecorder.kept;
  assert.deepEqual(trainings.map(({ seed }) => seed), [1]);
  const trained: string[] = [];
  const again = runRecorder.again();
  const result = await runScenario(scenario, {
    runRecorder: again,
    stops: ({ stage, message, step }) => {
      if (stage === "seeds" && step === 1) trained.push(message!);
      return false;
    },
  });
  assert.deepEqual(trained, ["seed 2/3", "seed 3/3"]);
  const runsOf = ({ variants }: typeof whole) => variants.map(({ seeds }) => seeds!.runs);
  assert.deepEqual(runsOf(result), runsOf(whole));

  // Trainings of another length or plan are repeated
  const other = again.again();
  const [first, second, third] = other.trainings.map((training) => ({ ...training, loss: 99 }));
  other.trainings.splice(0, 3, { ...first!, steps: first!.steps + 1 }, { ...second!, plan: "other" }, third!);
  const [runs] = runsOf(await runScenario(scenario, { runRecorder: other }));
  assert.deepEqual(runs!.map(({ loss }) => loss), [...runsOf(whole)[0]!.slice(0, 2).map(({ loss }) => loss), 99]);
});

Deno.test("seeds need a training, and at least two", () => {
  const refuses = (scenario: { name: string }, message: RegExp) =>
    assert.throws(() => resolveScenario(scenario), message);
  refuses(
    loaderOnly({ seeds: 3 }),
    /^InputError: seeds: requires a model, a loss and an optimizer; .* set seeds to null/,
  );
  refuses(tiny({ seeds: 1 }), /seeds: expected at least 2, got 1/);
  refuses(tiny({ sweep: { seeds: [2, 3] } }), /seeds: applies to the whole scenario/);
  assert.equal(resolveScenario(tiny(), { overrides: ["seeds=4"] }).seeds, 4);
});
