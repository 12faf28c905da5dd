import { createTrainer, type HostTensor, scenario, tensors, type Trainer, type VariantDefinition } from "../../mod.ts";
import { type Arrays, Network } from "../support/reference/network.ts";
import { labels, normals } from "../support/reference/random.ts";
import { count } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";

const STEPS = 10;

/** Steps of trainings that are compared with one another: with momentum and running statistics of earlier steps. */
const FEW_STEPS = 4;

export const SEED = 3;

/** Largest errors relative to the largest value of a tensor. */
export interface Errors {
  readonly losses: number;
  readonly gradients: number;
  /** Norm of the errors of all gradients of the first step, relative to the norm of all gradients. */
  readonly allGradients: number;
  readonly parameters: number;
  /** Error of the change in the parameters. */
  readonly changes: number;
  readonly running: number;
  /** Error of the output in inference mode with the trained running statistics. */
  readonly inference: number;
}

export interface Batch {
  readonly input: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  readonly target: Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
}

/** Returns batch `step` of a case. */
export function batchOf({ batchSize, input, vocabulary, target, seed = 0 }: ModelCase, step: number): Batch {
  return {
    input: vocabulary === undefined
      ? normals(batchSize * count(input), 1000 * seed + 100 + step)
      : labels(batchSize * count(input), vocabulary, 1000 * seed + 100 + step),
    target: "classes" in target
      ? labels(batchSize * count(target.places ?? []), target.classes, 1000 * seed + 200 + step)
      : normals(batchSize * target.features, 1000 * seed + 300 + step),
  };
}

/** Creates a trainer for a case; the test supplies the batches. */
export async function trainerOf(
  test: ModelCase,
  settings: VariantDefinition<Record<never, never>> = {},
): Promise<Trainer> {
  const { input, target } = batchOf(test, 0);
  const shape = "classes" in test.target ? test.target.places ?? [] : [test.target.features];
  const definition = scenario<Record<never, never>>({
    name: "model",
    model: test.model,
    loss: test.loss.spec,
    optimizer: test.optimizer.spec,
    data: tensors({
      input: { shape: test.input, data: input },
      target: { shape, data: target },
      ..."classes" in test.target ? { classes: test.target.classes } : {},
    }),
    loader: { batchSize: test.batchSize },
    seed: SEED,
    variants: { tested: settings },
  });
  const trainer = await createTrainer(definition, { variant: "tested", keepGradients: true });
  if (test.noise !== undefined) await trainer.loadParameters(withNoise(await trainer.parameters(), test.noise));
  return trainer;
}

function withNoise(parameters: ReadonlyMap<string, HostTensor>, deviation: number): Map<string, HostTensor> {
  return new Map([...parameters].map(([name, { shape, data }], i) => {
    const noise = normals(data.length, 5000 + i);
    return [name, { shape, data: data.map((value, at) => value + deviation * noise[at]!) }];
  }));
}

/** Returns the losses of the first few steps. */
export async function lossesOf(test: ModelCase, settings: VariantDefinition<Record<never, never>>): Promise<number[]> {
  await using trainer = await trainerOf(test, settings);
  const losses: number[] = [];
  for (let step = 0; step < FEW_STEPS; step++) losses.push((await trainer.step(batchOf(test, step))).loss);
  return losses;
}

/** Returns the gradients of the first step by name. */
export async function gradientsOf(test: ModelCase, settings: VariantDefinition<Record<never, never>>) {
  await using trainer = await trainerOf(test, settings);
  await trainer.step(batchOf(test, 0));
  return await trainer.gradients();
}

/**
 * Trains a case in Tacho and in the reference, with the same weights and batches, and returns the errors.
 *
 * @param few true for few steps
 */
export async function compare(test: ModelCase, few = false): Promise<Errors> {
  await using trainer = await trainerOf(test);
  const start = await trainer.parameters();
  const steps = few ? FEW_STEPS : STEPS;
  const wanted = trainReference(test, start, await trainer.runningState(), steps);
  let losses = 0;
  let [gradients, allGradients] = [0, 0];
  for (let step = 0; step < steps; step++) {
    const { loss } = await trainer.step(batchOf(test, step));
    losses = Math.max(losses, Math.abs(loss - wanted.losses[step]!) / Math.abs(wanted.losses[step]!));
    if (step > 0) continue;
    const got = await trainer.gradients();
    const expected = (name: string) => wanted.gradients.get(name)!;
    gradients = largestError(got, expected);
    allGradients = errorOfNorm(got, expected);
  }
  const trained = await trainer.parameters();
  const parameter = (name: string) => wanted.network.parameters.get(name)!.data;
  const shift = (values: ArrayLike<number>, name: string) =>
    Array.from(values, (value, i) => value - start.get(name)!.data[i]!);
  const changed = new Map(
    [...trained].map(([name, { shape, data }]) => [name, { shape, data: shift(data, name) }] as const),
  );
  const output = await trainer.forward(batchOf(test, steps).input);
  return {
    losses,
    gradients,
    allGradients,
    parameters: largestError(trained, parameter),
    changes: largestError(changed, (name) => shift(parameter(name), name)),
    running: largestError(await trainer.runningState(), (name) => wanted.network.running.get(name)!),
    inference: largestError(new Map([["output", output]]), () => wanted.output),
  };
}

/** A training of the reference. */
interface ReferenceTraining {
  readonly losses: readonly number[];
  /** Gradients of the first step. */
  readonly gradients: ReadonlyMap<string, Float64Array>;
  /** The trained network. */
  readonly network: Network;
  /** Output in inference mode for the batch after the last. */
  readonly output: ArrayLike<number>;
}

/** Trains a case in the reference. */
function trainReference(
  test: ModelCase,
  start: ReadonlyMap<string, HostTensor>,
  running: ReadonlyMap<string, HostTensor>,
  steps: number,
): ReferenceTraining {
  const network = new Network(test.reference, start, running, SEED);
  const optimizer = test.optimizer.reference();
  const shape = [test.batchSize, ...test.input];
  const gradients = new Map<string, Float64Array>();
  const losses = Array.from({ length: steps }, (_, step) => {
    const { input, target } = batchOf(test, step);
    const loss = network.train({ shape, data: input }, target, test.loss.reference, optimizer);
    if (step === 0) { for (const [name, { grad }] of network.parameters) gradients.set(name, grad.slice()); }
    return loss;
  });
  const { data: output } = network.infer({ shape, data: batchOf(test, steps).input });
  return { losses, gradients, network, output };
}

function largestError(got: ReadonlyMap<string, Arrays>, wanted: (name: string) => ArrayLike<number>): number {
  let largest = 0;
  for (const [name, { data }] of got) {
    const want = wanted(name);
    if (data.length !== want.length) throw new Error(`${name}: ${data.length} values, expected ${want.length}`);
    let [error, scale] = [0, 0];
    for (let i = 0; i < want.length; i++) {
      const difference = Math.abs(data[i]! - want[i]!);
      error = Math.max(error, Number.isNaN(difference) ? Infinity : difference);
      scale = Math.max(scale, Math.abs(want[i]!));
    }
    if (error > 0) largest = Math.max(largest, error / scale);
  }
  return largest;
}

/** Returns the Euclidean norm of the differences of all tensors, relative to the norm of all expected values. */
function errorOfNorm(got: ReadonlyMap<string, Arrays>, wanted: (name: string) => ArrayLike<number>): number {
  let [error, scale] = [0, 0];
  for (const [name, { data }] of got) {
    const want = wanted(name);
    for (let i = 0; i < want.length; i++) {
      error += (data[i]! - want[i]!) ** 2;
      scale += want[i]! ** 2;
    }
  }
  return Math.sqrt(error / scale);
}
