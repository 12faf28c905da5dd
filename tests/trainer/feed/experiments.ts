import {
  batchNorm,
  conv2d,
  crossEntropy,
  dropout,
  flatten,
  linear,
  maxPool2d,
  relu,
  type ScenarioDefinition,
  sequential,
  sgd,
  syntheticImages,
  transforms,
  type VariantResult,
} from "../../../mod.ts";
import type { ProgressEvent } from "../../../runtime/result/run_event.ts";
import { runExperiment } from "../../../runtime/experiment/run_experiment.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";

export type Definition = ScenarioDefinition<Record<never, never>>;

/** A small network with every source of randomness: augmented images, shuffling, dropout, initial weights. */
export function images(settings: Partial<Definition> = {}): Definition {
  return {
    name: "images",
    model: sequential({
      conv: conv2d(6, { kernel: 3, padding: 1 }),
      bn: batchNorm(),
      relu: relu(),
      pool: maxPool2d({ kernel: 2 }),
      drop: dropout(0.2),
      flatten: flatten(),
      fc: linear(4),
    }),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
    data: syntheticImages({
      height: 8,
      width: 8,
      classes: 4,
      length: 44,
      transforms: [transforms.randomCrop(8, { padding: 2 }), transforms.randomHorizontalFlip()],
    }),
    loader: { batchSize: 4 },
    measure: { steps: 8, skip: 4, maxSkip: 4, rounds: 2 },
    ...settings,
  };
}

/** Returns the results of a scenario's variants by name. The run is interrupted once `stops` returns true. */
export async function runVariants(
  definition: Definition,
  stops: (event: ProgressEvent) => boolean = () => false,
): Promise<Map<string, VariantResult>> {
  let stopped = false;
  const { variants } = await runExperiment(resolveScenario(definition), {
    interrupted: () => stopped,
    onEvent: (event) => {
      if (event.type === "progress") stopped ||= stops(event);
    },
    profile: null,
    script: { file: null, sha256: null },
  });
  return new Map(variants.map((variant) => [variant.name, variant]));
}

/** The losses of all steps as bits of f32. */
export function lossBits({ losses }: VariantResult): number[] {
  return [...new Uint32Array(Float32Array.from(losses, Number).buffer)];
}
