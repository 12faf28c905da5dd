/**
 * Makes batches: the same ones on any thread, a function of the plan and the batch's index alone.
 *
 * @module
 */
import type { Layout } from "../../core/layout.ts";
import { RandomStream } from "../../core/random.ts";
import { sizeOf } from "../../core/shape.ts";
import { streamKey } from "../keys.ts";
import { openSource } from "../sources/open_source.ts";
import type { SourcePlan } from "../sources/plan.ts";
import type { Source } from "../sources/source.ts";
import { chainTypes, TransformChain } from "../transforms/chain.ts";
import type { TransformSpec } from "../transforms/schema.ts";

/** What batches are made of, as plain data that is cloned to workers. */
export interface BatchPlan {
  readonly source: SourcePlan;
  readonly transforms: readonly TransformSpec[];
  readonly layout: Layout;
  readonly batchSize: number;
  readonly shuffle: boolean;
  readonly dropLast: boolean;
  readonly seed: number;
}

/** Batches in an epoch. */
export function batchesPerEpoch({ source, batchSize, dropLast }: BatchPlan): number {
  return dropLast ? Math.floor(source.length / batchSize) : Math.ceil(source.length / batchSize);
}

/** Samples in a batch that are not there to fill it up. */
export function batchCount(plan: BatchPlan, index: number): number {
  const begin = (index % batchesPerEpoch(plan)) * plan.batchSize;
  return Math.min(plan.batchSize, plan.source.length - begin);
}

/** Elements of one sample's input after the transforms. */
export function inputSize(plan: BatchPlan): number {
  const { channels, height, width } = chainTypes(plan.transforms, plan.source.sample, "data").at(-1)!;
  return sizeOf([channels, height, width]);
}

/** Makes batches on one thread. */
export class BatchMaker {
  readonly #plan: BatchPlan;
  readonly #source: Source;
  readonly #chain: TransformChain;
  readonly #inputSize: number;
  readonly #shuffleKey: number;
  #order: Uint32Array | null = null;
  #orderEpoch = -1;

  /**
   * @throws {InputError} if the source cannot be opened
   */
  constructor(plan: BatchPlan) {
    this.#plan = plan;
    this.#chain = new TransformChain(plan.transforms, plan.source.sample, plan.layout, plan.seed);
    this.#inputSize = inputSize(plan);
    this.#shuffleKey = streamKey(plan.seed, "data/shuffle");
    this.#source = openSource(plan.source);
  }

  /**
   * Makes batch `index` (counted from the start of epoch 0) in `input` and `target`. The last batch of an epoch is
   * filled up by repeating its own samples in turn. `beforeSample` is called before each sample.
   *
   * @throws {InputError} if a sample is invalid
   */
  make(index: number, input: Float32Array, target: Int32Array | Float32Array, beforeSample?: () => void): void {
    const plan = this.#plan;
    const perEpoch = batchesPerEpoch(plan);
    const epoch = Math.floor(index / perEpoch);
    const begin = (index % perEpoch) * plan.batchSize;
    const count = batchCount(plan, index);
    const order = this.#epochOrder(epoch);
    const source = this.#source;
    for (let i = 0; i < plan.batchSize; i++) {
      beforeSample?.();
      const position = begin + i % count;
      const sample = order === null ? position : order[position]!;
      source.read(sample, target, i * plan.source.targetSize);
      this.#chain.run(source.data, source.offset, input, i * this.#inputSize, epoch, sample);
    }
  }

  close(): void {
    this.#source.close();
  }

  #epochOrder(epoch: number): Uint32Array | null {
    if (!this.#plan.shuffle) return null;
    if (this.#order === null || this.#orderEpoch !== epoch) {
      this.#order = new RandomStream(this.#shuffleKey, epoch).permutation(this.#plan.source.length);
      this.#orderEpoch = epoch;
    }
    return this.#order;
  }
}
