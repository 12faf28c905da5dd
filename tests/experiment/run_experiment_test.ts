import assert from "node:assert/strict";
import { createTrainer, layer, linear, type Result, resultSchema, sequential, sgd } from "../../mod.ts";
import { residentBytes } from "../../runtime/compile/budget.ts";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { planAll, planControlArm } from "../../runtime/experiment/planning.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { testDevice } from "../support/evaluate.ts";
import { type RunEvent, runEventSchema } from "../../runtime/result/run_event.ts";
import { loaderOnly, runScenario, tiny } from "./running.ts";
import { fullTest, sampled } from "../support/full.ts";

const VARIANTS = { baseline: {}, sink: { sink: 2 }, workers: { loader: { numWorkers: 1 } } };

let result: Result;
Deno.test.beforeAll(async () => {
  result = resultSchema.parse(await runScenario(tiny({ variants: VARIANTS })));
});

Deno.test("the control arm repeats the baseline's steps and losses, and gives the noise floor", () => {
  const { procedure, variants, noiseFloor } = result;
  const second = procedure!.secondArm!;
  assert.equal(second.name, "baseline#2");
  assert.deepEqual(second.blocks.map(({ round }) => round), [0, 1, 2]);
  assert.deepEqual(
    second.blocks.map(({ steps }) => steps.map(({ index, loss }) => [index, loss])),
    variants[0]!.blocks.map(({ steps }) => steps.map(({ index, loss }) => [index, loss])),
  );
  assert.equal(second.comparison!.pairs, 3);
  assert.ok(noiseFloor !== null && noiseFloor >= 0);
});

Deno.test("every arm has a block in every round, at its place in the round's order", () => {
  const { procedure, variants } = result;
  assert.deepEqual(variants.map(({ name }) => name), Object.keys(VARIANTS));
  assert.equal(procedure!.order.length, 3);
  for (const [round, order] of procedure!.order.entries()) {
    assert.deepEqual(order.toSorted(), ["baseline", "baseline#2", "sink", "workers"]);
    for (const { name, blocks } of [...variants, procedure!.secondArm!]) {
      assert.equal(order[blocks.find((block) => block.round === round)!.position], name);
    }
  }
});

Deno.test("the procedure records rounds, probe times and warm-up steps", () => {
  const { planned, rounds, stoppedBy, probe, probeTrend, warmUp, resumed } = result.procedure!;
  assert.deepEqual([planned, rounds, stoppedBy, resumed], [3, 3, "rounds", 0]);
  assert.deepEqual(probe.map(({ round }) => round), [0, 1, 2]);
  assert.ok(probe.every(({ time }) => time > 0));
  assert.equal(probeTrend, null, "three times show no trend");
  assert.deepEqual(warmUp.map(({ arm, steps }) => [arm, steps]), [
    ["baseline", 2],
    ["sink", 2],
    ["workers", 2],
    ["baseline#2", 2],
  ]);
});

Deno.test("speed and losses of each variant are compared with the baseline's", async () => {
  const { variants, baseline } = await runScenario(tiny({
    variants: { ...VARIANTS, rate: { optimizer: sgd({ learningRate: 0.3 }) } },
    measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 5 },
  }));
  const byName = new Map(variants.map((variant) => [variant.name, variant]));
  const first = byName.get(baseline)!;
  assert.deepEqual([first.verdict, first.comparison, first.quality], [null, null, null]);
  assert.deepEqual([first.metrics.speedup!.value, first.outliers!.blocks, first.stepTimes!.steps], [1, 5, 10]);
  const { sink, workers, rate } = Object.fromEntries(byName) as Record<string, NonNullable<typeof first>>;
  for (const variant of [sink!, workers!]) {
    assert.equal(variant.comparison!.pairs, 5);
    assert.equal(variant.verdict, "unclear", "five rounds cannot tell");
    assert.equal(variant.metrics.speedup!.value, variant.comparison!.speedup.value);
    assert.deepEqual([variant.quality!.tolerance, variant.quality!.difference, variant.quality!.kept], [0, 0, true]);
  }
  assert.equal(sink!.stepTimes, null, "inside a sink no step has a time");
  assert.deepEqual([rate!.quality!.tolerance, rate!.quality!.kept], [null, true]);
  assert.notEqual(rate!.quality!.difference, 0);
});

Deno.test("a variant whose losses differ although its settings keep the training is invalid", async () => {
  const scenario = resolveScenario(tiny({ variants: VARIANTS }));
  const [first, sink] = scenario.variants;
  const optimizer = sgd({ learningRate: 0.2 });
  const retrained = { ...sink!, config: { ...sink!.config, optimizer } };
  const same = { ...sink!, name: "same" };
  const result = await runScenario({ ...scenario, variants: [first!, same, retrained] });
  assert.equal(result.variants[1]!.quality!.kept, true);
  assert.equal(result.variants[2]!.quality!.tolerance, null);
  const strict = await runScenario(tiny({
    variants: { baseline: {}, fused: { compile: { fusion: false } }, half: { amp: "O2" } },
    measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 2, tolerance: 1e-9 },
  }));
  const half = strict.variants.find(({ name }) => name === "half")!;
  if (half.status === "ok") {
    assert.deepEqual([half.verdict, half.quality!.kept, half.quality!.tolerance], ["invalid", false, 1e-9]);
  }
});

Deno.test("a training whose every update is skipped is invalid", async () => {
  const { variants } = await runScenario(tiny({
    amp: { level: "O2", scaler: { init: 2 ** 120, interval: 100_000 } },
    variants: { baseline: { amp: "O0" }, skipping: {} },
    measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 1 },
  }));
  const { status, overflows, measuredOverflows, verdict, comparison, lossScale } = variants[1]!;
  if (status !== "ok") return;
  assert.deepEqual([overflows, measuredOverflows, verdict], [3, 2, "invalid"]);
  assert.match(comparison!.reason, /skipped all 2 measured updates/);
  assert.deepEqual(lossScale, {
    changes: [0, 1, 2].map((step) => ({ step, scale: 2 ** (120 - step) })),
    skipped: [0, 1, 2],
  });
  assert.equal(variants[0]!.measuredOverflows, null);
  assert.equal(variants[0]!.lossScale, null);
});

Deno.test("a single variant, or aa: false, has no control arm", async () => {
  const single = await runScenario(tiny());
  assert.deepEqual([single.procedure!.secondArm, single.noiseFloor], [null, null]);
  assert.deepEqual(single.procedure!.order, [["baseline"], ["baseline"], ["baseline"]]);
  const without = await runScenario(resolveScenario(tiny({ variants: VARIANTS }), { aa: false }));
  assert.deepEqual([without.procedure!.secondArm, without.noiseFloor], [null, null]);
  assert.ok(without.variants[1]!.comparison !== null);
});

fullTest("the memory check includes the control arm", async () => {
  const { traits, info } = await testDevice();
  const scenario = resolveScenario(tiny({ variants: VARIANTS, evaluate: { every: 1 } }));
  const planned = planAll(scenario, { traits, adapterName: info.name, memory: { bytes: null, source: "no limit" } });
  const second = planControlArm(scenario, planned, traits)!;
  const dry = await dryRun(scenario);
  const own = dry.variants.find(({ name }) => name === "baseline")!.memory!;
  assert.equal(own.peak, planned[0]!.compiled!.memory.peak);
  assert.ok(second.compiled!.memory.peak < own.peak, "it is not evaluated");
  const resident = planned.map(({ variant, compiled }) => ({ name: variant.name, memory: compiled!.memory }));
  const memoryBudget = residentBytes(resident);
  await assert.rejects(runScenario({ ...scenario, memoryBudget }), /4 variants together need/);
  const without = { ...scenario, memoryBudget, measure: { ...scenario.measure, aa: false } };
  assert.ok((await runScenario(without)).variants.every(({ status }) => status === "ok"));
});

Deno.test("a failed variant does not end the others", async () => {
  const thrower = layer(() => {
    throw new TypeError("half a layer");
  });
  const { variants, procedure } = await runScenario(tiny({
    variants: { ...VARIANTS, broken: { model: sequential({ fc: linear(2) }) }, thrower: { model: thrower } },
  }));
  assert.deepEqual(variants.map(({ status }) => status), ["ok", "ok", "ok", "failed", "failed"]);
  assert.ok(procedure!.order.every((order) => order.length === 4 && !order.includes("broken")));
  assert.deepEqual(variants[4]!.error, { message: "model: a layer failed: TypeError: half a layer", exitStatus: 2 });
  const broken = variants[3]!;
  assert.deepEqual([broken.blocks.length, broken.verdict, broken.metrics.speedup], [0, null, null]);
  assert.match(broken.error!.message, /2 logits/);
  assert.equal(procedure!.stoppedBy, "rounds");
});

Deno.test("a target accuracy without a test split is rejected before the run", async () => {
  const { data } = tiny() as unknown as { data: { test: unknown } };
  const settings = { data: { ...data, test: null }, target: { accuracy: 0.5 }, variants: VARIANTS };
  await assert.rejects(runScenario(tiny(settings)), /^InputError: target\.accuracy: the data has no test split/);
});

Deno.test("variants with the same settings run once, with a warning", async () => {
  const { variants, procedure } = await runScenario(
    loaderOnly({ variants: { a: {}, b: {}, c: { loader: { batchSize: 8 } } } }),
  );
  assert.deepEqual(variants.map(({ name }) => name), ["a", "c"]);
  const aliases = procedure!.warnings.filter(({ kind }) => kind === "alias");
  assert.deepEqual(aliases.map(({ message }) => /"b" .* "a"/.test(message)), [true]);
});

Deno.test("a trainer finds a variant by each of its names", async () => {
  const scenario = tiny({ variants: { a: {}, b: {} } });
  await using trainer = await createTrainer(scenario, { variant: "b" });
  assert.ok(Number.isFinite((await trainer.step()).loss));
});

Deno.test("effects are computed for complete sweeps only", async () => {
  const sweep = { "loader.batchSize": [4, 8], "loader.prefetch": [1, 2] };
  const { effects, variants } = await runScenario(loaderOnly({ sweep }));
  assert.equal(variants.length, 4);
  assert.deepEqual(effects.map(({ factors }) => factors.map(({ setting, from, to }) => `${setting} ${from} ${to}`)), [
    ["loader.batchSize 4 8"],
    ["loader.prefetch 1 2"],
    ["loader.batchSize 4 8", "loader.prefetch 1 2"],
  ]);
  const named = resolveScenario(loaderOnly({ sweep }), { variants: variants.slice(1).map(({ name }) => name) });
  assert.deepEqual((await runScenario(named)).effects, []);
});

Deno.test("blocks of an interrupted round are kept, but not compared", async () => {
  const { variants, procedure } = await runScenario(
    loaderOnly({
      variants: { a: {}, b: { loader: { batchSize: 8 } } },
      measure: { steps: 4, skip: 1, maxSkip: 1, rounds: 5 },
    }),
    { stops: ({ message, variant, step }) => message === "round 3/5" && variant !== "a#2" && step === 2 },
  );
  assert.deepEqual([procedure!.rounds, procedure!.stoppedBy, procedure!.planned], [2, "interrupted", 5]);
  assert.equal(procedure!.order.length, 2);
  assert.equal(variants.reduce((sum, { blocks }) => sum + blocks.length, 0), 5, "one of the third round had begun");
  assert.ok(variants.every(({ status }) => status === "interrupted"));
  assert.equal(variants[1]!.comparison!.pairs, 2);
});

Deno.test("a run interrupted before the first round has no comparison", async () => {
  for (const stage of ["compile", "warmup"]) {
    const { procedure, variants } = await runScenario(tiny({ variants: VARIANTS }), {
      stops: (event) => event.stage === stage,
    });
    assert.deepEqual([procedure!.rounds, procedure!.stoppedBy], [0, "interrupted"]);
    assert.ok(variants.every(({ comparison, blocks }) => comparison === null && blocks.length === 0));
  }
});

Deno.test("maxTime ends the run after a complete round", async () => {
  const { procedure } = await runScenario(loaderOnly({
    variants: { a: {}, b: { loader: { batchSize: 8 } } },
    measure: { rounds: 50, maxTime: 1e-6 },
  }));
  assert.deepEqual([procedure!.rounds, procedure!.planned, procedure!.stoppedBy], [1, 50, "time"]);
});

fullTest("a precision that is never reached ends after a hundred rounds", async () => {
  const { procedure } = await runScenario(loaderOnly({
    variants: { a: {}, b: { loader: { batchSize: 8 } } },
    measure: { steps: 1, skip: 0, rounds: 2, precision: 1e-12 },
  }));
  assert.deepEqual([procedure!.rounds, procedure!.planned, procedure!.stoppedBy], [100, 100, "rounds"]);
  assert.equal(procedure!.precision, 1e-12);
  const alone = (await runScenario(loaderOnly({ measure: { steps: 1, rounds: 2, precision: 1e-12 } }))).procedure!;
  assert.deepEqual([alone.rounds, alone.planned, alone.stoppedBy], [2, 2, "rounds"], "nothing is compared");
});

Deno.test("warm-up ends when times are steady, within its bounds and after whole sinks", async () => {
  const { procedure, variants } = await runScenario(tiny({
    variants: { host: {}, sink: { sink: 4 } },
    measure: { steps: 4, skip: 3, maxSkip: 9, rounds: 1 },
  }));
  const steps = Object.fromEntries(procedure!.warmUp.map(({ arm, steps }) => [arm, steps]));
  assert.ok(steps["host"]! >= 4 && steps["host"]! <= 9, "three steps that bring no better time, after another");
  assert.ok(steps["sink"]! >= 8 && steps["sink"]! <= 12 && steps["sink"]! % 4 === 0);
  for (const { name, blocks, losses } of variants) {
    assert.equal(blocks[0]!.steps[0]!.index, steps[name]);
    assert.equal(losses.length, steps[name]! + 4, "steps of the warm-up train too");
  }
  assert.deepEqual(variants[0]!.losses.slice(0, 8), variants[1]!.losses.slice(0, 8), "however long it was");
  const none = await runScenario(tiny({ measure: { steps: 2, skip: 0, rounds: 1 } }));
  assert.deepEqual(none.procedure!.warmUp, [{ arm: "baseline", steps: 0, steady: true }]);
  assert.equal(none.variants[0]!.losses.length, 2);
});

fullTest("64 variants all run in every round", async () => {
  const { variants, procedure } = await runScenario(tiny({
    sweep: {
      "optimizer.learningRate": [0.1, 0.2, 0.3, 0.4],
      "optimizer.momentum": [0, 0.5, 0.8, 0.9],
      zip: { sink: [0, 1, 2, 4], "loader.prefetch": [1, 2, 3, 4] },
    },
    measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 2 },
  }));
  assert.equal(variants.length, 64);
  assert.ok(variants.every(({ status, blocks }) => status === "ok" && blocks.length === 2));
  assert.ok(procedure!.order.every((order) => new Set(order).size === 65));
});

Deno.test("events match their schema, from the start of a run to its result", async () => {
  const events: RunEvent[] = [];
  const result = await runScenario(loaderOnly({ variants: { baseline: {}, wide: { loader: { batchSize: 99 } } } }), {
    onEvent: (event) => void events.push(event),
  });
  for (const event of events) runEventSchema.parse(event);
  const telling = events.filter(({ type }) => type !== "progress" && type !== "warning");
  assert.deepEqual(telling.map(({ type }) => type), ["start", "failure", "round", "round", "round", "result"]);
  assert.deepEqual(telling[0], {
    ...{ type: "start", scenario: "tiny", seed: 1, baseline: "baseline", variants: ["baseline", "wide"] },
  });
  assert.ok(telling[1]!.type === "failure" && telling[1]!.arm === "wide");
  assert.ok(telling[2]!.type === "round" && telling[2]!.planned === 3 && telling[2]!.blocks[0]!.arm === "baseline");
  assert.deepEqual(telling.at(-1), { type: "result", result });
  const warnings = events.flatMap((event) => event.type === "warning" ? [{ ...event, type: undefined }] : []);
  assert.deepEqual(warnings, result.procedure!.warnings.map((warning) => ({ ...warning, type: undefined })));
});

Deno.test("the progress of a run with a time limit is relative to the rounds that fit", async () => {
  const fractions: number[] = [];
  // A clock that goes on when it is read, so that the number of rounds does not depend on the machine
  const { now } = performance;
  let time = now.call(performance);
  performance.now = () => time += 0.1;
  await runScenario(loaderOnly({ measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 1e6, maxTime: 0.3 } }), {
    onEvent: (event) => {
      if (event.type === "progress" && event.stage === "measure") fractions.push(event.fraction!);
    },
  }).finally(() => performance.now = now);
  assert.ok(fractions.at(-1)! > 0.5, `the last block starts at ${fractions.at(-1)}`);
});

Deno.test("an interrupted run emits one event, in every stage of its only variant", async () => {
  for (const stage of sampled(["compile", "warmup", "measure", "evaluate", "profile"], 3)) {
    const types: string[] = [];
    let stopped = false;
    await runScenario(tiny({ evaluate: { every: 1 } }), {
      interrupted: () => stopped,
      profile: { skipFirst: 0, wait: 0, warmup: 0, active: 3, repeat: 1 },
      onEvent: (event) => {
        if (event.type === "progress") stopped ||= event.stage === stage;
        else types.push(event.type);
      },
    });
    assert.deepEqual(types.filter((type) => type === "interrupted"), ["interrupted"], stage);
    assert.equal(types.at(-1), "result");
  }
});
