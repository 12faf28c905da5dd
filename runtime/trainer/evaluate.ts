import type { Location } from "../compile/plan.ts";
import { EVALUATION_GROUP, loaderLayout, outputBytes } from "../compile/variant.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Device } from "../device/device.ts";
import { Readback } from "../device/readback.ts";
import type { Config } from "../scenario/config.ts";
import type { Session } from "./session.ts";

/** Loss and accuracy on held-out data. */
export interface EvaluationOutcome {
  readonly samples: number;
  readonly loss: number | null;
  /** Fraction of the targets that are classified correctly, from 0 to 1; null if targets are not class indices. */
  readonly accuracy: number | null;
  /** Samples that could not be loaded and were replaced by others. */
  readonly skipped: number;
  /** True if the evaluation ended before the split did. */
  readonly interrupted: boolean;
}

/**
 * Evaluates the model on the test split, in order and in inference mode, with the data set's transforms for this split.
 * The device scores each sample; the host sums the scores in f64.
 */
export async function evaluate(
  session: Session,
  device: Device,
  config: Config,
  dataset: DatasetDescription,
  hooks: { shouldStop: () => boolean; onBatch?: (done: number, all: number) => void },
): Promise<EvaluationOutcome> {
  const { executor, batch: buffers, output } = await session.evaluation();
  const { outputs: { loss, lossWeight, correct, counted } } = executor.plan;
  const bytes = outputBytes(executor.plan);
  await using loader = await createLoader({ ...config.data, placement: "host", cache: null }, {
    batchSize: config.loader.batchSize,
    // A worker if training has workers: it detects samples that hang
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
  const scores = session.evaluationScores();
  const batches = loader.batchesPerEpoch;
  let interrupted = false;
  let samples = 0;
  const [lossMean, rightMean] = [new Mean(), new Mean()];
  for (let first = 0; first < batches && !interrupted; first += EVALUATION_GROUP) {
    const counts: number[] = [];
    for (let i = 0; first + i < batches && i < EVALUATION_GROUP; i++) {
      if ((interrupted = hooks.shouldStop())) break;
      const batch = await loader.next();
      buffers.write(batch.tensors);
      counts.push(batch.count);
      batch.release();
      const encoder = device.gpu.createCommandEncoder({ label: "evaluate" });
      executor.encode(encoder);
      device.copy(encoder, output, 0, scores, i * bytes, bytes);
      device.submit(encoder);
      device.wait();
      hooks.onBatch?.(first + i + 1, batches);
    }
    if (counts.length === 0) break;
    const read = new Readback(device, [{ buffer: scores, offset: 0, size: counts.length * bytes }]);
    const encoder = device.gpu.createCommandEncoder({ label: "evaluation results" });
    read.encode(encoder);
    device.submit(encoder);
    const [part] = await read.finish();
    counts.forEach((count, i) => {
      samples += count;
      const sum = (of: Location | undefined) => of && sumOf(part!, i * bytes + of.offset, count);
      lossMean.add(sum(loss), sum(lossWeight) ?? count);
      rightMean.add(sum(correct), sum(counted) ?? count);
    });
  }
  return {
    samples,
    loss: lossMean.value,
    accuracy: rightMean.value,
    skipped: loader.profile().skipped,
    interrupted,
  };
}

/** A weighted mean. */
class Mean {
  #sum = 0;
  #weight = 0;

  /** @param sum absent if nothing is measured */
  add(sum: number | undefined, weight: number): void {
    if (sum === undefined) return;
    this.#sum += sum;
    this.#weight += weight;
  }

  /** The mean; null without weight. */
  get value(): number | null {
    return this.#weight === 0 ? null : this.#sum / this.#weight;
  }
}

/** Returns the f64 sum of `count` f32 values from byte `offset`. */
function sumOf(bytes: ArrayBuffer, offset: number, count: number): number {
  return new Float32Array(bytes, offset, count).reduce((sum, value) => sum + value, 0);
}
