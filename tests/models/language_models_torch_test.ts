/**
 * Holds language models against PyTorch: the same names and orientations of parameters, the same logits after loading its
 * weights, and the same training. Skipped unless `python3` has PyTorch.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  adamW,
  createTrainer,
  crossEntropy,
  gpt,
  type Layer,
  llama,
  lstmLanguageModel,
  scenario,
  sgd,
  tensors,
} from "../../mod.ts";
import { sampled } from "../support/full.ts";
import { labels } from "../support/reference/random.ts";
import { answersTo, assertGradients, assertNear, findsModule } from "./torch/compare.ts";

/** A model with the request that describes it to `torch/language_models.py`. */
interface TorchCase {
  readonly name: string;
  readonly model: "gpt" | "llama" | "lstm";
  readonly config: Readonly<Record<string, number | boolean | readonly number[]>>;
  readonly layer: Layer;
}

/** Output of `torch/language_models.py`. */
interface Answer {
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly logits: readonly number[];
  readonly losses: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
}

const [BATCH, TOKENS, VOCABULARY, STEPS] = [3, 7, 13, 10];

const CASES: readonly TorchCase[] = [
  {
    name: "gpt",
    model: "gpt",
    config: { layers: 2, heads: 3, width: 24, context: 9, vocabulary: VOCABULARY },
    layer: gpt({ layers: 2, heads: 3, width: 24, context: 9, vocabulary: VOCABULARY }),
  },
  {
    name: "llama with grouped heads",
    model: "llama",
    config: {
      layers: 2,
      heads: 6,
      kvHeads: 2,
      width: 24,
      hidden: 20,
      vocabulary: VOCABULARY,
      rotaryBase: 500,
      epsilon: 1e-5,
    },
    layer: llama({ layers: 2, heads: 6, kvHeads: 2, width: 24, hidden: 20, vocabulary: VOCABULARY, rotaryBase: 500 }),
  },
  {
    name: "llama with the scaling of Llama 3.1 and wider heads",
    model: "llama",
    // With a context of 20, one pair of features keeps its frequency, one is interpolated, the others are divided
    config: {
      layers: 1,
      heads: 3,
      kvHeads: 1,
      width: 12,
      headDim: 10,
      hidden: 20,
      vocabulary: VOCABULARY,
      rotaryBase: 50,
      scaling: [8, 1, 3, 20],
      epsilon: 1e-5,
    },
    layer: llama({
      layers: 1,
      heads: 3,
      kvHeads: 1,
      width: 12,
      headDim: 10,
      hidden: 20,
      vocabulary: VOCABULARY,
      rotaryBase: 50,
      rotaryScaling: {
        type: "llama3",
        factor: 8,
        lowFreqFactor: 1,
        highFreqFactor: 3,
        originalMaxPositionEmbeddings: 20,
      },
    }),
  },
  {
    name: "lstm",
    model: "lstm",
    config: { layers: 2, width: 11, hidden: 14, vocabulary: VOCABULARY, tied: false },
    layer: lstmLanguageModel({ layers: 2, width: 11, hidden: 14, vocabulary: VOCABULARY }),
  },
  {
    name: "lstm with tied weights",
    model: "lstm",
    config: { layers: 1, width: 14, hidden: 14, vocabulary: VOCABULARY, tied: true },
    layer: lstmLanguageModel({ layers: 1, width: 14, hidden: 14, vocabulary: VOCABULARY, tied: true }),
  },
];

const batches = Array.from({ length: STEPS }, (_, step) => ({
  input: labels(BATCH * TOKENS, VOCABULARY, 10 + step),
  target: labels(BATCH * TOKENS, VOCABULARY, 50 + step),
}));

const folder = Deno.makeTempDirSync({ prefix: "tacho-torch-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const RATES = { sgd: 0.1, adamW: 3e-3 } as const;

type OptimizerName = keyof typeof RATES;

Deno.test({
  name: "language models load PyTorch's weights and train as it does",
  ignore: !await findsModule("torch"),
  async fn(t) {
    const all = CASES.flatMap((test, i) =>
      (["sgd", "adamW"] as const).map((optimizer) => ({ test, optimizer, weights: join(folder, `${i}.safetensors`) }))
    );
    const runs = sampled(all, 4);
    const precisions = ["float64", "float32"];
    const requests = runs.flatMap((run) => precisions.map((precision) => requestOf(run, precision)));
    const answers = await answersTo<Answer>("language_models.py", requests, folder);
    for (const [i, run] of runs.entries()) {
      const [double, single] = answers.slice(2 * i, 2 * i + 2) as [Answer, Answer];
      await t.step(`${run.test.name}, ${run.optimizer}`, () => check(run, double, single));
    }
  },
});

/** One training of a case. */
interface TorchRun {
  readonly test: TorchCase;
  readonly optimizer: OptimizerName;
  /** File of the initial weights, which PyTorch writes. */
  readonly weights: string;
}

async function check({ test, optimizer, weights }: TorchRun, answer: Answer, single: Answer): Promise<void> {
  const learningRate = RATES[optimizer];
  const sample = { shape: [TOKENS] };
  await using trainer = await createTrainer(
    scenario<Record<never, never>>({
      name: "torch",
      model: test.layer,
      loss: crossEntropy(),
      optimizer: optimizer === "sgd" ? sgd({ learningRate }) : adamW({ learningRate, weightDecay: 0.1 }),
      data: tensors({
        input: { ...sample, data: batches[0]!.input },
        target: { ...sample, data: batches[0]!.target },
        classes: VOCABULARY,
      }),
      loader: { batchSize: BATCH },
    }),
    { keepGradients: true },
  );
  const shapes = Object.fromEntries([...await trainer.parameters()].map(([name, { shape }]) => [name, [...shape]]));
  assert.deepEqual(shapes, answer.shapes);
  await trainer.load(weights, { check: { input: batches[0]!.input, output: answer.logits } });
  assertNear((await trainer.forward(batches[0]!.input)).data, answer.logits, 1e-5, "logits");
  const losses: number[] = [];
  for (const [step, batch] of batches.entries()) {
    losses.push((await trainer.step(batch)).loss);
    if (step === 0) assertGradients(await trainer.gradients(), answer.gradients);
  }
  if (optimizer === "sgd") return assertNear(losses, answer.losses, 1e-5, "losses");
  const farthest = (values: readonly number[]) =>
    Math.max(...values.map((loss, step) => Math.abs(loss - answer.losses[step]!)));
  // A unit in the last place of a loss is 2.4e-7
  const most = 2 * Math.max(farthest(single.losses), 2.4e-7);
  assert.ok(
    farthest(losses) <= most,
    `losses ${farthest(losses)} from f64, PyTorch's in f32 ${farthest(single.losses)}`,
  );
}

function requestOf({ test: { model, config }, optimizer, weights }: TorchRun, precision: string) {
  const rows = (values: Int32Array) =>
    Array.from({ length: BATCH }, (_, n) => [...values.subarray(n * TOKENS, (n + 1) * TOKENS)]);
  return {
    model,
    config,
    seed: 1,
    optimizer,
    learningRate: RATES[optimizer],
    weights,
    precision,
    tokens: batches.map(({ input }) => rows(input)),
    targets: batches.map(({ target }) => rows(target)),
  };
}
