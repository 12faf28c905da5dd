/**
 * Holds schedules, clipping, parameter groups and averages against PyTorch's over ten steps. Skipped unless `python3` has
 * PyTorch.
 */
import assert from "node:assert/strict";
import { adamW, layerNorm, linear, schedules, type ScheduleSpec, sequential, sgd, tanh } from "../../mod.ts";
import { labels, normals } from "../support/reference/random.ts";
import { type Settings, small, trainerOf } from "../trainer/models.ts";
import { answersTo, assertNear, findsModule } from "./torch/compare.ts";
import { tempFolder } from "../support/temp_folder.ts";

interface Answer {
  /** Loss of each step; null if the step was skipped. */
  readonly losses: readonly (number | null)[];
  readonly rates: readonly number[];
  /** Norms of the gradients before clipping. */
  readonly norms: readonly number[];
  readonly skipped: readonly boolean[];
  readonly parameters: Readonly<Record<string, readonly number[]>>;
  readonly averages: Readonly<Record<string, readonly number[]>> | null;
}

interface Case {
  readonly optimizer: "sgd" | "adamW";
  readonly schedule?: ScheduleSpec;
  readonly clipNorm?: number;
  readonly groups?: boolean;
  readonly decay?: number;
  /** Trains in mixed precision, on batches, some of which exceed the range of f16. */
  readonly half?: boolean;
}

const STEPS = 10;
const RATE = 0.05;

const batches = Array.from({ length: STEPS }, (_, step) => ({
  input: Float32Array.from(normals(20, 10 + step)),
  target: labels(4, 3, 50 + step),
}));

/** The same batches, in which the largest values of two become infinite in f16. */
const overflowing = batches.map(({ input, target }, step) => ({
  input: [3, 6].includes(step) ? input.map((value) => value * 1e6) : input,
  target,
}));

const batchesOf = ({ half }: Case) => half === true ? overflowing : batches;

const optimizers = {
  sgd: sgd({ learningRate: RATE, momentum: 0.9, weightDecay: 0.1 }),
  adamW: adamW({ learningRate: RATE, weightDecay: 0.1 }),
};

const CASES: readonly Case[] = [
  { optimizer: "sgd", schedule: schedules.constant({ warmup: 4, warmupStart: 0.2 }) },
  { optimizer: "sgd", schedule: schedules.step({ stepSize: 3, gamma: 0.5 }), groups: true },
  { optimizer: "adamW", schedule: schedules.step({ stepSize: 2, gamma: 0.7, warmup: 3, warmupStart: 0.1 }) },
  { optimizer: "adamW", schedule: schedules.cosine({ steps: 10, minFactor: 0.1 }), decay: 0.9 },
  { optimizer: "adamW", schedule: schedules.cosine({ steps: 10, warmup: 3, warmupStart: 0.01 }), clipNorm: 0.5 },
  { optimizer: "adamW", schedule: schedules.oneCycle({ steps: 12 }), groups: true, clipNorm: 0.3, decay: 0.5 },
  { optimizer: "sgd", schedule: schedules.oneCycle({ steps: 10, anneal: "linear", pctStart: 0.45 }), decay: 0.99 },
  { optimizer: "sgd", schedule: schedules.oneCycle({ steps: 10, pctStart: 0.05 }) },
  { optimizer: "adamW", schedule: schedules.oneCycle({ steps: 10, pctStart: 1 }), clipNorm: 0.5 },
  { optimizer: "sgd", clipNorm: 0.2, decay: 0.8 },
  { optimizer: "adamW", groups: true },
  { optimizer: "sgd", schedule: schedules.cosine({ steps: 8 }), clipNorm: 0.3, groups: true, decay: 0.6, half: true },
  { optimizer: "adamW", schedule: schedules.oneCycle({ steps: 9 }), clipNorm: 0.3, decay: 0.6, half: true },
];

const settingsOf = ({ optimizer, schedule, clipNorm, groups, decay, half }: Case): Settings => ({
  model: sequential({ fc1: linear(7), norm: layerNorm(), tanh: tanh(), fc2: linear(3) }),
  optimizer: optimizers[optimizer],
  schedule: schedule ?? null,
  clipNorm: clipNorm ?? null,
  groups: groups === true ? [{ match: "vectors", weightDecay: 0, learningRate: RATE / 2 }] : [],
  ema: decay === undefined ? null : { decay },
  amp: half === true ? { level: "O2", scaler: { init: 64 } } : "O0",
});

Deno.test({
  name: "schedules, clipping, groups and averages train as PyTorch's do",
  ignore: !await findsModule("torch"),
  async fn() {
    using temporary = tempFolder("tacho-torch-");
    const folder = temporary.path;
    const weights = await (async () => {
      await using trainer = await trainerOf(small(settingsOf(CASES[0]!)));
      return Object.fromEntries([...await trainer.parameters()].map(([name, { data }]) => [name, [...data]]));
    })();
    const requests = CASES.map((test) => {
      const { optimizer, schedule = null, clipNorm = null, groups = false, decay = null, half = false } = test;
      return {
        weights,
        optimizer: optimizers[optimizer],
        ...{ schedule, clipNorm, groups, decay, half },
        inputs: batchesOf(test).map(({ input }) => [...input]),
        targets: batches.map(({ target }) => [...target]),
      };
    });
    const answers = await answersTo<Answer>("training_settings.py", requests, folder);
    for (const [i, test] of CASES.entries()) await check(test, answers[i]!);
  },
});

async function check(test: Case, answer: Answer): Promise<void> {
  const where = JSON.stringify(test);
  await using trainer = await trainerOf(small(settingsOf(test)));
  const steps = [];
  for (const batch of batchesOf(test)) steps.push(await trainer.step(batch));
  assert.deepEqual(steps.map(({ skipped }) => skipped), answer.skipped, where);
  assert.equal(answer.skipped.includes(true), test.half === true, where);
  assertNear(steps.map(({ rateFactor }) => rateFactor * RATE), answer.rates, 1e-6, `${where}: rates`);
  const [lossError, error] = test.half === true ? [0.005, 0.005] : [1e-5, 2e-5];
  const losses = steps.filter(({ skipped }) => !skipped).map(({ loss }) => loss);
  assertNear(losses, answer.losses.filter((loss) => loss !== null), lossError, `${where}: losses`);
  if (test.clipNorm !== undefined) {
    assert.ok(answer.norms.some((norm) => norm > test.clipNorm!), `${where}: no step is clipped`);
  }
  for (const [name, { data }] of await trainer.parameters()) {
    assertNear(data, answer.parameters[name]!, error, `${where}: ${name}`);
  }
  if (answer.averages === null) return;
  for (const [name, { data }] of await trainer.averages()) {
    assertNear(data, answer.averages[name]!, error, `${where}: average of ${name}`);
  }
}
