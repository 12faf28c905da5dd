/**
 * Holds published models at full size against PyTorch: the number of parameters, and from the same weights the logits, the
 * gradients of a step and some losses, each beside how far PyTorch in f32 is from f64. Times nothing.
 *
 *     deno task bench:models                              # all models
 *     deno task bench:models vit_b_32 --steps 1
 *     deno task bench:models gpt2 --vocabulary 4096 --tokens 32
 *     deno task bench:models --record                     # also writes the differences to bench/results/
 *
 * Needs PyTorch and torchvision in `python3`, or in another Python named by `--python`, up to 4 GiB of memory and 2 GiB of
 * disk. Fails if a count, a logit or a gradient is wrong.
 *
 * @module
 */
import { Command, Option } from "@commander-js/extra-typings";
import { join } from "node:path";
import {
  createTrainer,
  crossEntropy,
  gpt,
  type Layer,
  mobilenetV2,
  mobilenetV3,
  resnet,
  scenario,
  sgd,
  tensors,
  vit,
} from "../mod.ts";
import { WeightFile } from "../runtime/data/safetensors/weight_file.ts";
import { requireAdapter } from "../runtime/device/adapter.ts";
import { recorder } from "./record/recorder.ts";

const CLASSES = 1000;

/** Tolerances, as parts of the largest logit, of the norm of all gradients, and of the loss. */
const TOLERANCES = { logits: 1e-4, gradients: 1e-4, loss: 1e-5 };

interface Model {
  readonly parameters: number;
  readonly layer: Layer;
}

const IMAGES: Readonly<Record<string, Model>> = {
  vit_b_32: { parameters: 88_224_232, layer: vit({ size: "b_32", classes: CLASSES }) },
  mobilenet_v2: { parameters: 3_504_872, layer: mobilenetV2({ classes: CLASSES, dropout: 0 }) },
  mobilenet_v3_small: { parameters: 2_542_856, layer: mobilenetV3({ size: "small", classes: CLASSES, dropout: 0 }) },
  mobilenet_v3_large: { parameters: 5_483_032, layer: mobilenetV3({ size: "large", classes: CLASSES, dropout: 0 }) },
  resnet50: { parameters: 25_557_032, layer: resnet({ depth: 50, classes: CLASSES }) },
};

const GPT2 = "gpt2";
const GPT2_VOCABULARY = 50_257;
const GPT2_PARAMETERS = 124_439_808;
const GPT2_WIDTH = 768;

/** Distances from f64. */
interface Distances {
  readonly logits: number;
  readonly gradients: number;
  readonly loss: number;
}

/** Output of `torch/whole_models.py`. */
interface Answer {
  readonly torch: string;
  readonly parameters: number;
  readonly losses: readonly number[];
  readonly float32: Distances;
}

const names = [...Object.keys(IMAGES), GPT2];
const { args, record } = await recorder("models");
const command = new Command("deno task bench:models")
  .description("Hold published models at full size against PyTorch.")
  .addArgument(new Command().createArgument("[names...]", "models").choices(names).default(names))
  .addOption(new Option("--steps <n>", "steps of training").default(3).argParser(Number))
  .addOption(
    new Option("--vocabulary <n>", "tokens that GPT-2 knows (default: 50257, or as many as the adapter binds)")
      .argParser(Number),
  )
  .addOption(new Option("--tokens <n>", "tokens of GPT-2's sequence").default(64).argParser(Number))
  .option("--python <path>", "Python interpreter with PyTorch", "python3")
  .option("--record", "write the differences to the file of this machine in bench/results/")
  .parse(args, { from: "user" });
const [chosen] = command.processedArgs as [string[]];
const { steps, tokens, python, ...options } = command.opts();

const { info, traits } = await requireAdapter();
const largest = Math.floor(traits.maxStorageBindingBytes / (4 * GPT2_WIDTH));
const vocabulary = options.vocabulary ?? Math.min(GPT2_VOCABULARY, largest);
console.log(`Tacho, Deno ${Deno.version.deno}, on ${info.name}`);
let failed = false;
for (const name of chosen) {
  const folder = await Deno.makeTempDir({ prefix: "tacho-models-" });
  try {
    await compare(name, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
if (failed) Deno.exit(1);

async function compare(name: string, folder: string): Promise<void> {
  const answer = await inTorch(name, folder);
  const { model, shape, classes, perSample } = described(name);
  const expected = model.parameters;
  const count = shape.reduce((a, b) => a * b);
  const bytes = (file: string) => Deno.readFileSync(join(folder, file)).buffer;
  const inputs = name === GPT2 ? new Int32Array(bytes("inputs.bin")) : new Float32Array(bytes("inputs.bin"));
  const targets = new Int32Array(bytes("targets.bin"));
  const goals = shape[0]! * perSample;
  const batchOf = (step: number) => ({
    input: inputs.slice(step * count, (step + 1) * count),
    target: targets.slice(step * goals, (step + 1) * goals),
  });
  const { input, target } = batchOf(0);
  await using trainer = await createTrainer(
    scenario<Record<never, never>>({
      name,
      model: model.layer,
      loss: crossEntropy(),
      optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
      data: tensors({
        input: { shape: shape.slice(1), data: input },
        target: { shape: name === GPT2 ? [tokens] : [], data: target },
        classes,
      }),
      loader: { batchSize: shape[0]! },
    }),
    { keepGradients: true },
  );
  await trainer.load(join(folder, "weights.safetensors"));
  const parameters = [...(await trainer.parameters()).values()].reduce((sum, { data }) => sum + data.length, 0);
  const logits = farthest((await trainer.forward(input)).data, new Float64Array(bytes("logits.bin")));
  const losses: number[] = [];
  let gradients = 0;
  for (let step = 0; step < steps; step++) {
    losses.push((await trainer.step(batchOf(step))).loss);
    if (step === 0) gradients = distance(await trainer.gradients(), join(folder, "gradients.safetensors"));
  }
  const loss = Math.max(...losses.map((value, i) => Math.abs(value - answer.losses[i]!) / answer.losses[i]!));
  const right = parameters === expected && parameters === answer.parameters;
  const own: Distances = { logits, gradients, loss };
  const wrong = (["logits", "gradients", "loss"] as const).filter((what) =>
    !(own[what] <= Math.max(TOLERANCES[what], 4 * answer.float32[what]))
  );
  if (!right || wrong.length > 0) failed = true;
  const sizes = name === GPT2 ? `, vocabulary ${vocabulary}, ${tokens} tokens` : "";
  console.log(
    `${name}${sizes}: ${parameters} parameters${
      right ? "" : `, expected ${expected}, PyTorch has ${answer.parameters}`
    }`,
  );
  for (
    const [who, { logits, gradients, loss }] of [["Tacho", own], [`PyTorch ${answer.torch}`, answer.float32]] as const
  ) {
    const [a, b, c] = [logits, gradients, loss].map((value) => value.toExponential(1));
    console.log(`  ${who} in f32, from f64: logits ${a}, gradients ${b}, losses of ${steps} steps ${c}`);
  }
  if (wrong.length > 0) console.log(`  wrong: ${wrong.join(", ")}`);
  record(name, {
    parameters_count: parameters,
    steps_count: steps,
    logits_difference_ratio: own.logits,
    gradients_difference_ratio: own.gradients,
    loss_difference_ratio: own.loss,
    torch_logits_difference_ratio: answer.float32.logits,
    torch_gradients_difference_ratio: answer.float32.gradients,
    torch_loss_difference_ratio: answer.float32.loss,
  });
}

/** Returns a model of Tacho with the shape of its batches, its classes, and the targets of a sample. */
function described(name: string): { model: Model; shape: readonly number[]; classes: number; perSample: number } {
  if (name !== GPT2) return { model: IMAGES[name]!, shape: [2, 3, 224, 224], classes: CLASSES, perSample: 1 };
  const parameters = GPT2_PARAMETERS - (GPT2_VOCABULARY - vocabulary) * GPT2_WIDTH;
  const layer = gpt({ size: "gpt2", vocabulary });
  return { model: { parameters, layer }, shape: [1, tokens], classes: vocabulary, perSample: tokens };
}

async function inTorch(name: string, folder: string): Promise<Answer> {
  const script = join(import.meta.dirname!, "torch/whole_models.py");
  const { success, stdout, stderr } = await new Deno.Command(python, {
    args: [script, name, folder, String(steps), String(vocabulary), String(tokens)],
    env: { PYTHONDONTWRITEBYTECODE: "1" },
  }).output();
  if (!success) {
    console.error(new TextDecoder().decode(stderr));
    Deno.exit(2);
  }
  return JSON.parse(new TextDecoder().decode(stdout)) as Answer;
}

/** Returns the largest difference, as a part of the largest value. */
function farthest(got: ArrayLike<number>, want: ArrayLike<number>): number {
  if (got.length !== want.length) throw new Error(`${got.length} logits, expected ${want.length}`);
  let [largest, error] = [0, 0];
  for (let i = 0; i < want.length; i++) {
    largest = Math.max(largest, Math.abs(want[i]!));
    error = Math.max(error, Math.abs(got[i]! - want[i]!));
  }
  return error / largest;
}

/** Returns the norm of the differences of all gradients, as a part of their norm. */
function distance(got: ReadonlyMap<string, { readonly data: Float32Array }>, path: string): number {
  using file = WeightFile.open(path);
  if (file.tensors.size !== got.size) throw new Error(`${got.size} gradients, expected ${file.tensors.size}`);
  let [error, norm] = [0, 0];
  for (const name of file.tensors.keys()) {
    const [own, want] = [got.get(name)!.data, file.read(name)];
    for (let i = 0; i < want.length; i++) {
      error += (own[i]! - want[i]!) ** 2;
      norm += want[i]! ** 2;
    }
  }
  return Math.sqrt(error / norm);
}
