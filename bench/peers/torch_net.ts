/**
 * Training task for Tacho and PyTorch: a residual network with the same initial weights and the same batch, which stays
 * on the device, with SGD as in `scripts/resnet.ts`.
 *
 * @module
 */
import type { Peaks } from "../../runtime/record/peaks.ts";
import type { OpRecord } from "../../runtime/result/ops.ts";

export type Precision = "f32" | "amp";

/** Nets by name. Residual networks for CIFAR-10 have 10 classes, those for ImageNet have 1000. */
export const NETS = {
  resnet20: { depth: 20, classes: 10 },
  resnet18: { depth: 18, classes: 1000 },
  resnet34: { depth: 34, classes: 1000 },
  resnet50: { depth: 50, classes: 1000 },
} as const;

export type NetName = keyof typeof NETS;

/** Learning rate, small so that the loss of one batch falls from the first step. It does not affect the times. */
export const LEARNING_RATE = 0.01;
export const MOMENTUM = 0.9;
export const WEIGHT_DECAY = 1e-4;

/** One block of steps in a separate process, passed as JSON. */
export interface NetTask {
  readonly depth: number;
  readonly classes: number;
  readonly batch: number;
  /** Height and width. */
  readonly image: number;
  readonly precision: Precision;
  /** Number of warm-up steps, including the first step. */
  readonly skip: number;
  readonly steps: number;
  readonly learningRate: number;
  readonly momentum: number;
  readonly weightDecay: number;
  /** Initial weights and the batch, in the format of safetensors: Tacho writes them, PyTorch reads them. */
  readonly start: string;
}

/** Task for Tacho, with options that PyTorch does not have. */
export interface TachoNetTask extends NetTask {
  /** True to write {@linkcode NetTask.start} and train nothing. */
  readonly save: boolean;
  /** True to choose kernels by timing them. */
  readonly autotune: boolean;
  /** True to time each op in additional steps. */
  readonly profile: boolean;
}

/** JSON that a script prints on its last line. */
export interface MeasuredNet {
  readonly parameters: number;
  /** Wall time per step in ms, over a block with a single wait at its end. */
  readonly step: number;
  /**
   * Time per step on the device's clock, from the start of the first step to the end of the last; null without a clock.
   */
  readonly device: number | null;
  /** Time from an open device and a loaded library to the first loss on the host, in ms. */
  readonly firstLoss: number;
  /** Peak allocation during the block, in bytes. */
  readonly memory: number | null;
  /** Losses of all steps, including warm-up steps. */
  readonly losses: readonly number[];
}

export interface TachoMeasuredNet extends MeasuredNet {
  /** Profile of the run; null if none was requested or the adapter has no timestamps. */
  readonly profile: { readonly ops: readonly OpRecord[]; readonly peaks: Peaks } | null;
}

/** Draws noise with a pattern per class, so that losses fall; images are NCHW. */
export function drawBatch({ batch, image, classes }: NetTask): {
  input: Float32Array<ArrayBuffer>;
  target: Int32Array<ArrayBuffer>;
} {
  const size = 3 * image * image;
  const input = new Float32Array(batch * size);
  const target = new Int32Array(batch);
  let state = 1;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
  for (let i = 0; i < batch; i++) {
    const label = target[i] = Math.floor(random() * classes);
    for (let j = 0; j < size; j++) {
      input[i * size + j] = 3.4 * (random() - 0.5) + Math.sin(j * (label + 1) / 20) / 2;
    }
  }
  return { input, target };
}
