/**
 * What Tacho and PyTorch train side by side: a residual network from the same weights on the same batch, which stays on
 * the device, with SGD as in `scripts/resnet.ts`.
 *
 * @module
 */
import type { Peaks } from "../../runtime/record/peaks.ts";
import type { OpRecord } from "../../runtime/result/ops.ts";

export type Precision = "f32" | "amp";

/** Nets by name. Residual networks for CIFAR-10 have 10 classes, those for ImageNet 1000. */
export const NETS = {
  resnet20: { depth: 20, classes: 10 },
  resnet18: { depth: 18, classes: 1000 },
  resnet34: { depth: 34, classes: 1000 },
  resnet50: { depth: 50, classes: 1000 },
} as const;

export type NetName = keyof typeof NETS;

/** Small, so that the loss of one batch falls from the first steps on; it changes nothing about their time. */
export const LEARNING_RATE = 0.01;
export const MOMENTUM = 0.9;
export const WEIGHT_DECAY = 1e-4;

/** One block of steps in a process of its own. Handed over as JSON. */
export interface NetTask {
  readonly depth: number;
  readonly classes: number;
  readonly batch: number;
  /** Height and width. */
  readonly image: number;
  readonly precision: Precision;
  /** Not measured; the very first step is one of them. */
  readonly skip: number;
  readonly steps: number;
  readonly learningRate: number;
  readonly momentum: number;
  readonly weightDecay: number;
  /** Initial weights and the batch, in the format of safetensors: Tacho writes them, PyTorch reads them. */
  readonly start: string;
}

/** What Tacho is asked for beside. */
export interface TachoNetTask extends NetTask {
  /** Write {@linkcode NetTask.start} and train nothing. */
  readonly save: boolean;
  /** Choose kernels by timing them. */
  readonly autotune: boolean;
  /** Time each op in some steps more. */
  readonly profile: boolean;
}

/** What a script prints, as JSON, on its last line. */
export interface MeasuredNet {
  readonly parameters: number;
  /** Wall time of a step in milliseconds, over a block that is waited for once, at its end. */
  readonly step: number;
  /** The same on the device's clock, from the begin of the first step to the end of the last; null where it has none. */
  readonly device: number | null;
  /** Milliseconds from an open device, and a library that is loaded, to the first loss on the host. */
  readonly firstLoss: number;
  /** Bytes that were allocated at most while the block ran. */
  readonly memory: number | null;
  /** Of all steps, with those that were not measured. */
  readonly losses: readonly number[];
}

export interface TachoMeasuredNet extends MeasuredNet {
  /** Null where no profile was asked for or the adapter has no timestamps. */
  readonly profile: { readonly ops: readonly OpRecord[]; readonly peaks: Peaks } | null;
}

/** Noise with a pattern of its class, so that losses fall; images in NCHW. */
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
