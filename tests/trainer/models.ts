/**
 * Small scenarios that the trainer's tests share.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  createTrainer,
  crossEntropy,
  linear,
  meanSquaredError,
  type ScenarioDefinition,
  sequential,
  sgd,
  tanh,
  tensors,
  type Trainer,
  type TrainerOptions,
} from "../../mod.ts";
import { labels, normals } from "../support/reference/random.ts";
import { count } from "../support/reference/value.ts";

export type Settings = Partial<ScenarioDefinition<Record<never, never>>>;

/** Data set of `samples` images or rows with class indices. */
export function classified(
  shape: number[],
  classes: number,
  samples = 64,
  options: Partial<Parameters<typeof tensors>[0]> = {},
) {
  return tensors({
    ...options,
    input: { shape, data: normals(samples * count(shape), 1) },
    target: { data: labels(samples, classes, 2) },
    classes,
  });
}

/** Data set of `samples` rows with `targets` f32 targets. */
export function measured(features: number, targets: number, samples = 64) {
  return tensors({
    input: { shape: [features], data: normals(samples * features, 1) },
    target: { shape: [targets], data: normals(samples * targets, 2) },
  });
}

/** A scenario with batches of 4: 5 features, 3 classes, `fc1` to 7 features, `fc2`. */
export function small(settings: Settings = {}): ScenarioDefinition<Record<never, never>> {
  return {
    name: "small",
    model: sequential({ fc1: linear(7), tanh: tanh(), fc2: linear(3) }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: classified([5], 3),
    loader: { batchSize: 4 },
    ...settings,
  };
}

/** Settings of {@linkcode small} with one linear layer `fc` of 5 to 3 features and f32 targets. */
export function regression(settings: Settings = {}): ScenarioDefinition<Record<never, never>> {
  return small({
    name: "regression",
    model: sequential({ fc: linear(3) }),
    loss: meanSquaredError(),
    data: measured(5, 3),
    ...settings,
  });
}

export function trainerOf(
  settings: ScenarioDefinition<Record<never, never>>,
  options: TrainerOptions = { keepGradients: true },
): Promise<Trainer> {
  return createTrainer(settings, options);
}

/** Bits of f32 values. */
export function bits(values: Iterable<number>): number[] {
  return [...new Uint32Array(Float32Array.from(values).buffer)];
}

/** Fails at the first value that differs in its bits; a diff of many thousand values would take minutes to make. */
export function assertSameBits(
  got: Readonly<Record<string, number[]>>,
  wanted: Readonly<Record<string, number[]>>,
  where: string,
): void {
  assert.deepEqual(Object.keys(got), Object.keys(wanted), where);
  for (const [name, values] of Object.entries(got)) {
    assert.equal(values.length, wanted[name]!.length, `${where}: ${name}`);
    const at = values.findIndex((value, i) => value !== wanted[name]![i]);
    assert.ok(at < 0, `${where}: element ${at} of ${name} has the bits ${values[at]}, expected ${wanted[name]![at]}`);
  }
}

/** Bits of tensors by name. */
export function bitsOf(tensors: ReadonlyMap<string, { data: Float32Array }>): Record<string, number[]> {
  return Object.fromEntries([...tensors].map(([name, { data }]) => [name, bits(data)]));
}
