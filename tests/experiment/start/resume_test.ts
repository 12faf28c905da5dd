import assert from "node:assert/strict";
import { linear, type Result, resultSchema, sequential } from "../../../mod.ts";
import type { ProgressEvent } from "../../../runtime/result/run_event.ts";
import { loaderOnly, MemoryRecorder, runScenario, tiny } from "../running.ts";
import { fullTest, sampled } from "../../support/full.ts";

/** Returns the parts of a result that do not depend on times, and must equal those of an undisturbed run. */
function timeless({ variants, procedure, effects, baseline }: Result) {
  const blocks = (list: Result["variants"][number]["blocks"]) =>
    list.map(({ round, position, samples, steps }) => ({
      round,
      position,
      samples,
      steps: steps.map(({ index, loss }) => ({ index, loss })),
    }));
  return {
    baseline,
    variants: variants.map((variant) => ({
      name: variant.name,
      status: variant.status,
      error: variant.error,
      blocks: blocks(variant.blocks),
      losses: variant.losses,
      finalLoss: variant.finalLoss,
      evaluations: variant.evaluations,
      counts: variant.counts,
      quality: variant.quality,
      pairs: variant.comparison?.pairs,
      overflows: variant.overflows,
    })),
    order: procedure!.order,
    rounds: [procedure!.planned, procedure!.rounds, procedure!.stoppedBy],
    warmUp: procedure!.warmUp,
    second: procedure!.secondArm && blocks(procedure!.secondArm.blocks),
    probes: procedure!.probe.map(({ round }) => round),
    effects: effects.map(({ factors }) => factors),
  };
}

/** Interrupts when this round begins, at this many steps into a block of this arm. */
const at = (round: string, variant: string, step: number) => (event: ProgressEvent) =>
  event.message === round && event.variant === variant && event.step === step;

/** Runs a scenario in sittings, each ended by the next of `stops`, and then to its end. */
async function sittings(scenario: { name: string }, stops: readonly ((event: ProgressEvent) => boolean)[]) {
  let runRecorder = new MemoryRecorder();
  for (const stop of stops) {
    const { procedure } = await runScenario(scenario, { runRecorder, stops: stop });
    assert.equal(procedure!.stoppedBy, "interrupted");
    runRecorder = runRecorder.again();
  }
  const result = resultSchema.parse(await runScenario(scenario, { runRecorder }));
  assert.equal(result.procedure!.resumed, stops.length);
  assert.deepEqual(result.procedure!.warnings.filter(({ kind }) => kind === "resumed"), []);
  return { result, runRecorder };
}

const VARIANTS = { baseline: {}, sink: { sink: 2 }, workers: { loader: { numWorkers: 1 } }, amp: { amp: "O2" } };

Deno.test("a resumed training ends like an undisturbed one", async () => {
  const scenario = tiny({ variants: VARIANTS, measure: { steps: 2, skip: 3, maxSkip: 3, rounds: 5 } });
  const undisturbed = await runScenario(scenario);
  const { result, runRecorder } = await sittings(
    scenario,
    sampled([
      ({ stage, variant }) => stage === "warmup" && variant === "workers",
      at("round 1/5", "baseline", 1),
      at("round 3/5", "amp", 1),
      ({ stage, variant }) => stage === "warmup" && variant === "sink",
      at("round 5/5", "baseline#2", 1),
    ], 2),
  );
  assert.deepEqual(timeless(result), timeless(undisturbed));
  assert.ok(runRecorder.kept.rounds.length <= 1, "the last sitting had one round to run");
});

Deno.test("a round is kept completely or not at all, and never runs twice", async () => {
  const scenario = tiny({ variants: { a: {}, b: { sink: 2 } }, measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 4 } });
  const first = new MemoryRecorder();
  await runScenario(scenario, { runRecorder: first, stops: at("round 3/4", "b", 0) });
  assert.deepEqual(first.kept.rounds.map(({ round }) => round), [0, 1]);
  for (const { blocks, order, probe } of first.kept.rounds) {
    assert.deepEqual(blocks.map(({ arm }) => arm), order);
    assert.ok(probe! > 0);
  }
  const second = first.again();
  const { procedure, variants } = await runScenario(scenario, { runRecorder: second });
  assert.deepEqual(second.kept.rounds.map(({ round }) => round), [2, 3]);
  assert.equal(second.kept.warmUps.length, 0, "the warm-up is that of the first sitting");
  assert.deepEqual(procedure!.order, [...second.rounds, ...second.kept.rounds].map(({ order }) => order));
  // Blocks of the first sitting are taken as they were measured
  const kept = first.kept.rounds.flatMap(({ blocks }) => blocks).filter(({ arm }) => arm === "a");
  assert.deepEqual(variants[0]!.blocks.slice(0, 2), kept.map(({ block }) => block));
});

fullTest("a loader without a model resumes at the right batch", async () => {
  const scenario = loaderOnly({
    variants: { main: {}, worker: { loader: { numWorkers: 1 } }, eights: { loader: { batchSize: 8 } } },
    measure: { steps: 3, skip: 2, maxSkip: 2, rounds: 4 },
  });
  const undisturbed = await runScenario(scenario);
  const { result } = await sittings(scenario, [at("round 2/4", "main", 1), at("round 4/4", "worker", 2)]);
  assert.deepEqual(timeless(result), timeless(undisturbed));
});

fullTest("resumed epochs and evaluations equal those of an undisturbed run", async () => {
  const scenario = tiny({
    variants: { baseline: {}, sink: { sink: 4 } },
    epochs: 3,
    evaluate: { every: 1 },
    measure: { skip: 2 },
  });
  const undisturbed = await runScenario(scenario);
  assert.deepEqual(undisturbed.variants.map(({ evaluations }) => evaluations.length), [3, 3]);
  const { result } = await sittings(scenario, [at("epoch 2/3", "sink", 4), at("epoch 3/3", "baseline", 5)]);
  assert.deepEqual(timeless(result), timeless(undisturbed));
});

fullTest("a failed variant stays failed and keeps its measurements", async () => {
  const scenario = tiny({ variants: { a: {}, broken: { model: sequential({ fc: linear(2) }) }, b: { sink: 2 } } });
  const undisturbed = await runScenario(scenario);
  const { result } = await sittings(scenario, [at("round 2/3", "b", 0)]);
  assert.deepEqual(timeless(result), timeless(undisturbed));
  // One that failed in its second round, as a recorder has it
  const runRecorder = new MemoryRecorder();
  await runScenario(tiny({ variants: { a: {}, b: { sink: 2 } } }), { runRecorder, stops: at("round 3/3", "a", 0) });
  runRecorder.keepFailure({ arm: "b", round: 2, message: "The GPU refused a command", exitStatus: 3 });
  const again = await runScenario(tiny({ variants: { a: {}, b: { sink: 2 } } }), { runRecorder: runRecorder.again() });
  const b = again.variants[1]!;
  assert.deepEqual([b.status, b.error], ["failed", { message: "The GPU refused a command", exitStatus: 3 }]);
  assert.deepEqual([b.blocks.length, again.variants[0]!.blocks.length], [2, 3]);
});

Deno.test("losses that differ after resuming cause a warning", async () => {
  const scenario = tiny({ variants: { a: {}, b: { sink: 2 } } });
  const runRecorder = new MemoryRecorder();
  await runScenario(scenario, { runRecorder, stops: at("round 2/3", "b", 0) });
  runRecorder.keepLosses("b", 1, [0.123]);
  const { procedure, variants } = await runScenario(scenario, { runRecorder: runRecorder.again() });
  const messages = procedure!.warnings.filter(({ kind }) => kind === "resumed").map(({ message }) => message);
  assert.equal(messages.length, 1);
  assert.match(
    messages[0]!,
    /^b: after resuming, the loss of step 1 is [\d.]+ instead of 0\.123: adapter, driver or kernels/,
  );
  assert.ok(variants.every(({ status }) => status === "ok"));
});

Deno.test("a run does not resume on another adapter", async () => {
  const scenario = tiny({ variants: { a: {}, b: { sink: 2 } } });
  const runRecorder = new MemoryRecorder();
  const { environment } = await runScenario(scenario, { runRecorder, stops: at("round 2/3", "b", 0) });
  assert.equal(runRecorder.adapter, environment.adapter!.name);
  const again = runRecorder.again();
  again.adapter = "another";
  await assert.rejects(
    runScenario(scenario, { runRecorder: again }),
    /measured on the adapter "another", but the current/,
  );
});

Deno.test("a complete run measures nothing when resumed", async () => {
  const scenario = tiny({ variants: { a: {}, b: { sink: 2 } } });
  const runRecorder = new MemoryRecorder();
  const first = await runScenario(scenario, { runRecorder });
  const next = runRecorder.again();
  const again = await runScenario(scenario, { runRecorder: next });
  assert.equal(next.kept.rounds.length, 0);
  assert.deepEqual(timeless(again), timeless(first));
  assert.deepEqual(again.variants.map(({ blocks }) => blocks), first.variants.map(({ blocks }) => blocks));
});
