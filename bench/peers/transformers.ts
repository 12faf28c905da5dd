/**
 * Transformers that every library trains from the same weights, with AdamW and PyTorch's defaults, in f32: a GPT-2 whose
 * head shares the table of tokens, and a ViT. Matrices are `[out, in]`.
 *
 * @module
 */
import { BATCHES, CLASSES, drawImages } from "./workload.ts";

interface Sizes {
  readonly batch: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly epsilon: number;
  readonly learningRate: number;
  readonly parameters: number;
}

export interface Gpt extends Sizes {
  readonly name: "gpt";
  readonly context: number;
  readonly vocabulary: number;
}

export interface Vit extends Sizes {
  readonly name: "vit";
  readonly shape: readonly [channels: number, height: number, width: number];
  readonly patch: number;
}

export type Transformer = Gpt | Vit;

export const GPT: Gpt = {
  name: "gpt",
  batch: 8,
  layers: 4,
  heads: 4,
  width: 128,
  context: 128,
  vocabulary: 96,
  epsilon: 1e-5,
  learningRate: 1e-3,
  parameters: 822_016,
};

export const VIT: Vit = {
  name: "vit",
  batch: 16,
  layers: 6,
  heads: 3,
  width: 192,
  shape: [3, 32, 32],
  patch: 4,
  epsilon: 1e-6,
  learningRate: 3e-4,
  parameters: 2_693_578,
};

export const TRANSFORMERS: Readonly<Record<string, Transformer>> = { gpt: GPT, vit: VIT };

export const ADAMW = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01 };

/** Returns the shape of each parameter, by names that the libraries' scripts share. */
export function parameterShapes(task: Transformer): Record<string, readonly number[]> {
  const { layers, width } = task;
  const shapes: Record<string, readonly number[]> = {};
  if (task.name === "gpt") {
    shapes["tokens"] = [task.vocabulary, width];
    shapes["positions"] = [task.context, width];
  } else {
    const [channels] = task.shape;
    shapes["patches.weight"] = [width, channels, task.patch, task.patch];
    shapes["patches.bias"] = [width];
    shapes["class"] = [1, 1, width];
    shapes["positions"] = [patchesOf(task) + 1, width];
  }
  const norm = (name: string) => {
    shapes[`${name}.weight`] = [width];
    shapes[`${name}.bias`] = [width];
  };
  const linear = (name: string, from: number, to: number) => {
    shapes[`${name}.weight`] = [to, from];
    shapes[`${name}.bias`] = [to];
  };
  for (let i = 0; i < layers; i++) {
    norm(`blocks.${i}.norm1`);
    linear(`blocks.${i}.project`, width, 3 * width);
    linear(`blocks.${i}.join`, width, width);
    norm(`blocks.${i}.norm2`);
    linear(`blocks.${i}.expand`, width, 4 * width);
    linear(`blocks.${i}.contract`, 4 * width, width);
  }
  norm("norm");
  if (task.name === "vit") linear("head", width, CLASSES);
  return shapes;
}

/** Returns the number of patches of an image. */
export function patchesOf({ shape: [, height, width], patch }: Vit): number {
  return height / patch * width / patch;
}

/** Draws tokens that follow a rule three times in four, and the tokens after them. Returns all batches in order. */
export function drawTokens({ batch, context, vocabulary }: Gpt) {
  const input = new Int32Array(BATCHES * batch * context);
  const target = new Int32Array(input.length);
  let state = 1;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
  for (let row = 0; row < BATCHES * batch; row++) {
    let token = Math.floor(random() * vocabulary);
    for (let i = row * context; i < (row + 1) * context; i++) {
      input[i] = token;
      token = random() < 0.75 ? (5 * token + 17) % vocabulary : Math.floor(random() * vocabulary);
      target[i] = token;
    }
  }
  return { input, target };
}

/** Returns the images and classes, or the tokens, of all batches in order. */
export function drawTask(task: Transformer) {
  return task.name === "gpt" ? drawTokens(task) : drawImages(task);
}

/** Returns the task named on the command line. */
export function namedTask(name: string | undefined): Transformer {
  const task = TRANSFORMERS[name ?? ""];
  if (task === undefined) throw new Error(`Expected one of ${Object.keys(TRANSFORMERS).join(", ")}, got "${name}"`);
  return task;
}
