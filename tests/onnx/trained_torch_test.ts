/**
 * Parameters and buffers in unusual places: ten steps from PyTorch's files give PyTorch's losses, and train what PyTorch trains.
 * Skipped unless `python3` has torch.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createTrainer, meanSquaredError, onnx, scenario, sgd, tensors } from "../../mod.ts";
import { answersTo, findsModule } from "../models/torch/compare.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** A result of `trained_nets.py`. */
interface Answer {
  readonly path: string;
  readonly input: readonly number[];
  readonly target: readonly number[];
  readonly output: readonly number[];
  readonly losses: readonly number[];
  readonly parameters: readonly string[];
  readonly buffers: readonly string[];
}

interface Request {
  readonly name: string;
  readonly input: readonly number[];
  readonly opset: number;
  /** True if the exporter folds constants, which gives weights other names and takes ties apart. */
  readonly folded: boolean;
  readonly asInputs?: boolean;
}

const REQUESTS: readonly Request[] = [
  { name: "scales", input: [5, 6], opset: 13, folded: false },
  { name: "scales", input: [5, 6], opset: 17, folded: true },
  { name: "normalized", input: [3, 9, 9], opset: 13, folded: false, asInputs: true },
  { name: "attention", input: [6, 6], opset: 13, folded: false },
  { name: "attention", input: [6, 6], opset: 11, folded: false },
  { name: "attention", input: [6, 6], opset: 16, folded: true },
  { name: "tied", input: [6], opset: 13, folded: false },
  { name: "centres", input: [5, 6], opset: 17, folded: false },
];

Deno.test({
  name: "files of PyTorch train what PyTorch trains, to the same losses",
  ignore: !await findsModule("torch"),
  async fn() {
    using temporary = tempFolder();
    const folder = temporary.path;
    const requests = REQUESTS.map((request) => ({ ...request, folder }));
    const answers = await answersTo<Answer>("../../onnx/trained_nets.py", requests, folder);
    for (const [i, answer] of answers.entries()) await compare(REQUESTS[i]!, answer);
  },
});

async function compare({ name, opset, input, folded }: Request, answer: Answer): Promise<void> {
  const what = `${name}, version ${opset}${folded ? ", folded" : ""}`;
  const model = await onnx(answer.path);
  const spec = scenario({
    name,
    model,
    loss: meanSquaredError(),
    optimizer: sgd({ learningRate: 0.05 }),
    data: tensors({
      input: { shape: input, data: name === "tied" ? Int32Array.from(answer.input) : Float32Array.from(answer.input) },
      target: { shape: answer.output, data: Float32Array.from(answer.target) },
    }),
    loader: { batchSize: 4, shuffle: false },
  });
  await using trainer = await createTrainer(spec);
  const names = [...(await trainer.parameters()).keys()].sort();
  if (!folded) deepStrictEqual(names, [...answer.parameters].sort(), what);
  deepStrictEqual(names, model.tensors.flatMap(({ name, usage }) => usage === "trained" ? [name] : []).sort(), what);
  for (const [step, want] of answer.losses.entries()) {
    const { loss } = await trainer.step();
    ok(Math.abs(loss! - want) <= 2e-5 * want, `${what}: loss ${loss} of step ${step}, ${want} in PyTorch`);
  }
}
