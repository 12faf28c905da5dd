/**
 * The nets that every library trains.
 *
 * @module
 */
import { type Transformer, TRANSFORMERS } from "./transformers.ts";
import { type Workload, WORKLOADS } from "./workload.ts";

export type Net = Workload | Transformer;

export const NETS: Readonly<Record<string, Net>> = { ...WORKLOADS, ...TRANSFORMERS };

/** Steps before the measured ones, and measured steps of each process. */
export const BLOCKS: Readonly<Record<string, { readonly skip: number; readonly steps: number }>> = {
  lenet: { skip: 4, steps: 20 },
  resnet20: { skip: 2, steps: 4 },
  gpt: { skip: 3, steps: 4 },
  vit: { skip: 3, steps: 2 },
};

/** True for nets with batch normalisation, whose gradients amplify rounding. */
export function hasBatchNorm({ name }: Net): boolean {
  return name === "resnet20";
}

/** True for nets that every library trains with AdamW; the others have SGD with momentum. */
export function isTransformer(net: Net): net is Transformer {
  return net.name in TRANSFORMERS;
}
