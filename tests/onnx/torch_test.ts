/**
 * Trains networks that PyTorch has exported, beside PyTorch in double precision: losses, first gradients, and outputs in
 * inference afterwards. Skipped unless `python3` has torch.
 */
import { ok } from "node:assert/strict";
import { createTrainer, crossEntropy, onnx, scenario, sgd, tensors } from "../../mod.ts";
import { answersTo, assertGradients, assertNear, findsModule } from "../models/torch/compare.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** A result of `exports.py`. */
interface Answer {
  readonly path: string;
  readonly input: readonly number[];
  readonly target: readonly number[];
  readonly losses: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly after: readonly number[];
}

/** Networks by name, with the shapes of a sample's input and target, and the version of the operators. */
const CASES = [
  { name: "images", input: [3, 14, 14], target: [], classes: 5, opset: 17 },
  { name: "tokens", input: [6], target: [6], classes: 20, opset: 13 },
  { name: "sequences", input: [6], target: [6], classes: 20, opset: 17 },
];

Deno.test({
  name: "networks that PyTorch exports train as in PyTorch",
  ignore: !await findsModule("torch"),
  async fn() {
    using temporary = tempFolder();
    const folder = temporary.path;
    const requests = CASES.map(({ name, opset }) => ({ name, opset, folder }));
    const answers = await answersTo<Answer>("../../onnx/exports.py", requests, folder);
    for (const [i, answer] of answers.entries()) await compare(CASES[i]!, answer);
  },
});

async function compare({ name, input, target, classes }: (typeof CASES)[number], answer: Answer): Promise<void> {
  const data = name === "images" ? Float32Array.from(answer.input) : Int32Array.from(answer.input);
  const spec = scenario({
    name,
    model: await onnx(answer.path),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.05 }),
    data: tensors({
      input: { shape: input, data },
      target: { shape: target, data: Int32Array.from(answer.target) },
      classes,
    }),
    loader: { batchSize: 4, shuffle: false },
  });
  await using trainer = await createTrainer(spec, { keepGradients: true });
  for (const [step, want] of answer.losses.entries()) {
    const { loss } = await trainer.step();
    ok(Math.abs(loss! - want) <= 1e-5 * want, `${name}: loss ${loss} of step ${step}, ${want} in PyTorch`);
    if (step === 0) assertGradients(await trainer.gradients(), answer.gradients);
  }
  assertNear(await trainer.forward(data), answer.after, 1e-4, `${name}: outputs`);
}
