import { EVALUATION_GROUP } from "../compile/variant.ts";
import type { DatasetDescription } from "../data/describe.ts";
import type { DataArray } from "../data/shared.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import { toLogical } from "../core/layout.ts";
import { sizeOf } from "../core/shape.ts";
import type { Device } from "../device/device.ts";
import { Readback } from "../device/readback.ts";
import { comparesClasses, lossOf, type LossSpec } from "../nn/losses.ts";
import type { Config } from "../scenario/config.ts";
import { loaderLayout } from "./loader_layout.ts";
import type { Session } from "./session.ts";

/** Loss and accuracy on held-out data. */
export interface EvaluationOutcome {
  readonly samples: number;
  readonly loss: number | null;
  /** From 0 to 1; null where targets are no classes. */
  readonly accuracy: number | null;
  /** Samples that could not be made and were replaced by others. */
  readonly skipped: number;
  /** It ended before the split did. */
  readonly interrupted: boolean;
}

/**
 * Runs the test split through the model in inference mode, in order and without augmentation's randomness beyond what
 * the data set's transforms do. Losses are computed on the host in f64.
 */
export async function evaluate(
  session: Session,
  device: Device,
  config: Config,
  dataset: DatasetDescription,
  hooks: { shouldStop: () => boolean; onBatch?: (done: number, all: number) => void },
): Promise<EvaluationOutcome> {
  const { executor, batch: buffers, output } = await session.inference();
  const shape = executor.plan.output.shape;
  const bytes = sizeOf(shape) * 4;
  const batchSize = shape[0]!;
  await using loader = await createLoader({ ...config.data, placement: "host" }, {
    batchSize,
    // A thread of its own where training has some: samples that hang are noticed there
    numWorkers: config.loader.numWorkers === 0 ? 0 : 1,
    prefetch: 1,
    shuffle: false,
    dropLast: false,
    onError: config.loader.onError,
    timeout: config.loader.timeout,
    seed: config.seed,
    split: "test",
    layout: loaderLayout(dataset, config),
    shouldStop: hooks.shouldStop,
  });
  const score = new Score(config.loss, dataset, sizeOf(shape) / batchSize);
  const outputs = session.evaluationOutputs();
  const batches = loader.batchesPerEpoch;
  let interrupted = false;
  for (let first = 0; first < batches && !interrupted; first += EVALUATION_GROUP) {
    const group: { target: DataArray; count: number }[] = [];
    for (let i = 0; first + i < batches && i < EVALUATION_GROUP; i++) {
      if ((interrupted = hooks.shouldStop())) break;
      const batch = await loader.next();
      buffers.write(batch.tensors);
      group.push({ target: batch.tensors.target!.slice(), count: batch.count });
      batch.release();
      const encoder = device.gpu.createCommandEncoder({ label: "evaluate" });
      executor.encode(encoder);
      encoder.copyBufferToBuffer(output, 0, outputs, i * bytes, bytes);
      device.submit(encoder);
      device.wait();
      hooks.onBatch?.(first + i + 1, batches);
    }
    if (group.length === 0) break;
    const read = new Readback(device, group.map((_, i) => ({ buffer: outputs, offset: i * bytes, size: bytes })));
    const encoder = device.gpu.createCommandEncoder({ label: "evaluation results" });
    read.encode(encoder);
    device.submit(encoder);
    const parts = await read.finish();
    parts.forEach((part, i) => {
      const logical = toLogical(new Float32Array(part), shape, executor.plan.output.layout);
      score.add(logical, group[i]!.target, group[i]!.count);
    });
  }
  return { ...score.result(), skipped: loader.profile().skipped, interrupted };
}

/** Sums losses and right answers over batches. */
class Score {
  #loss = 0;
  #right = 0;
  #samples = 0;
  readonly #spec: LossSpec | null;
  readonly #classes: boolean;
  readonly #width: number;

  constructor(spec: LossSpec | null, { target }: DatasetDescription, width: number) {
    this.#classes = target.dtype === "i32" && target.shape.length === 0;
    this.#width = width;
    // Without a training plan nothing has checked that the loss takes these targets
    const fits = this.#classes === comparesClasses(spec) && (this.#classes || sizeOf(target.shape) === width);
    this.#spec = fits ? spec : null;
  }

  /** @param outputs `[n, width]`, of which the first `count` rows count */
  add(outputs: Float32Array, targets: DataArray, count: number): void {
    const width = this.#classes ? 1 : this.#width;
    const definition = this.#spec === null ? null : lossOf(this.#spec);
    for (let row = 0; row < count; row++) {
      const values = outputs.subarray(row * this.#width, (row + 1) * this.#width);
      const target = targets.subarray(row * width, (row + 1) * width);
      this.#samples++;
      if (this.#classes && argmax(values) === target[0]) this.#right++;
      if (definition !== null) this.#loss += definition.ofSample(this.#spec!, values, target);
    }
  }

  result(): { samples: number; loss: number | null; accuracy: number | null } {
    const samples = this.#samples;
    return {
      samples,
      loss: samples === 0 || this.#spec === null ? null : this.#loss / samples,
      accuracy: samples === 0 || !this.#classes ? null : this.#right / samples,
    };
  }
}

function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
