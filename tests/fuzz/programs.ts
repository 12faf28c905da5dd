import assert from "node:assert/strict";
import { createTrainer, mean, scenario, sgd, tensors } from "../../mod.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { answersTo, findsModule } from "../models/torch/compare.ts";
import { chance } from "./draws.ts";
import type { Fuzzer } from "./fuzzer.ts";
import { drawProgram } from "./programs/draw.ts";
import { modelOf } from "./programs/model.ts";

/** Loss and gradients by parameter. */
interface Outcome {
  readonly loss: number;
  readonly gradients: Readonly<Record<string, readonly number[]>>;
}

/** Smallest tolerance of losses, and of all gradients together, relative to their norm. */
const TOLERANCE = 1e-4;
/** Allowed error, as a multiple of the error of PyTorch's own f32. */
const FACTOR = 20;

/**
 * Random programs of tensor ops and layers: loss and gradients of one step against PyTorch's in f64. Some are compiled
 * without fusion, or for images in planes.
 */
export const programs: Fuzzer = {
  name: "programs",
  few: 2,
  isPossible: () => findsModule("torch"),
  begin: (folder) => async (random) => {
    const program = drawProgram(random, 16);
    const shape = program[0]!.shape;
    const data = Float32Array.from({ length: sizeOf(shape) }, () => random.normal());
    const target = new Int32Array(shape[0]!);
    await using trainer = await createTrainer(
      scenario({
        name: "program",
        model: modelOf(program),
        loss: (output) => mean(output),
        optimizer: sgd({ learningRate: 0.01 }),
        data: tensors({ input: { shape: shape.slice(1), data }, target: { shape: [], data: target } }),
        loader: { batchSize: shape[0]! },
        compile: { fusion: !chance(random, 0.2), layout: chance(random, 0.2) ? "nchw" : "auto" },
        seed: random.below(1000),
      }),
      { keepGradients: true },
    );
    const parameters = Object.fromEntries(
      (await trainer.parameters()).entries().map(([name, { shape, data }]) => [name, { shape, data: [...data] }]),
    );
    const { loss } = await trainer.step({ input: data, target });
    const gradients = await trainer.gradients();
    const [[exact, rounded]] = await answersTo<[Outcome, Outcome]>(
      "../../fuzz/programs/reference.py",
      [{ program, input: [...data], parameters }],
      folder,
    ) as [[Outcome, Outcome]];
    const got = Object.fromEntries(
      Object.keys(exact.gradients).map((name) => [name, [...gradients.get(name)?.data ?? []]]),
    );
    compare({ loss, gradients: got }, exact, rounded);
  },
};

/** Throws unless an outcome is about as close to `exact` as `rounded` is. */
function compare(got: Outcome, exact: Outcome, rounded: Outcome): void {
  const size = Math.abs(exact.loss) + 1e-3;
  const allowed = Math.max(TOLERANCE * size, FACTOR * Math.abs(rounded.loss - exact.loss));
  const error = Math.abs(got.loss - exact.loss);
  assert.ok(error <= allowed, `the loss is ${got.loss}, PyTorch's ${exact.loss}`);
  const norm = Math.hypot(...Object.values(exact.gradients).flat());
  const distances = distancesOf(got, exact);
  const distance = Math.hypot(...Object.values(distances));
  const limit = Math.max(TOLERANCE * norm, FACTOR * Math.hypot(...Object.values(distancesOf(rounded, exact))));
  assert.ok(distance <= limit, `gradients differ by ${distance} of ${norm}: ${JSON.stringify(distances)}`);
}

/** Returns the distance of each gradient. */
function distancesOf(got: Outcome, exact: Outcome): Record<string, number> {
  return Object.fromEntries(
    Object.entries(exact.gradients).map(([name, slopes]) => [
      name,
      Math.hypot(...slopes.map((slope, i) => got.gradients[name]![i]! - slope)),
    ]),
  );
}
