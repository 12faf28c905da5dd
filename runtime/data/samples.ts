/**
 * Makes single samples: read, decoded, transformed and put where they belong, on one thread.
 *
 * @module
 */
import type { Layout } from "../core/layout.ts";
import type { Source } from "./readers/reader.ts";
import { readerOf, type SourcePlan } from "./readers/readers.ts";
import { sleep } from "./sleep.ts";
import type { StageClock } from "./stage_clock.ts";
import { TransformChain } from "./transforms/chain.ts";
import { loadTransforms, targetFormOf, type TransformSpec } from "./transforms/definitions.ts";
import { DeviceChain } from "./transforms/device_chain.ts";
import { resultType } from "./transforms/result_type.ts";

/** What samples are made of, as plain data that is cloned to workers. */
export interface SamplePlan {
  readonly source: SourcePlan;
  readonly transforms: readonly TransformSpec[];
  readonly fuse: boolean;
  /** Where the end of the transforms runs. */
  readonly placement: "host" | "device";
  readonly layout: Layout;
  readonly seed: number;
  /** Milliseconds slept for each sample, and for each batch. */
  readonly delay: { readonly read: number; readonly decode: number; readonly collate: number };
}

/** Elements of one sample; those of the input are words of 4 bytes, opaque where the device finishes them. */
export interface SampleSizes {
  readonly input: number;
  readonly target: number;
  readonly targetDType: "i32" | "f32";
}

export function sampleSizes({ source, transforms, placement }: SamplePlan): SampleSizes {
  const form = targetFormOf(transforms, source.classes, "data");
  const target = form === null
    ? { target: source.targetSize, targetDType: source.targetDType }
    : { target: form.size, targetDType: "f32" as const };
  if (placement === "device") return { input: DeviceChain.part(transforms, source.sample).words, ...target };
  const { channels, height, width } = resultType(transforms, source.sample, "data");
  return { input: channels * height * width, ...target };
}

/** A clock that the parties to a sample share, each with stages of its own. */
class SharedClock implements StageClock {
  clock: StageClock | null = null;
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  lap(index: number): void {
    this.clock!.lap(this.#first + index);
  }
}

export class SampleMaker {
  /** What a sample goes through, in order: the source's stages, then the passes over it. */
  readonly stages: readonly string[];
  readonly #source: Source;
  readonly #chain: TransformChain | DeviceChain;
  readonly #targetForm: ReturnType<typeof targetFormOf>;
  readonly #label = new Int32Array(1);
  /** Slept one after the other when the source has read: each ends a stage, the first of them the source's last. */
  readonly #delays: readonly number[];
  readonly #lastOfSource: number;
  readonly #chainClock: SharedClock;

  private constructor(plan: SamplePlan, source: Source) {
    const { transforms, layout, seed, fuse, delay } = plan;
    const own = source.stages ?? ["read"];
    // A source that has nothing to decode has the stage where it is to be slow
    const slow = own.length === 1 && delay.decode > 0;
    const stages = slow ? [...own, "decode"] : own;
    this.#source = source;
    this.#chain = plan.placement === "device"
      ? new DeviceChain(transforms, plan.source.sample, { seed, fuse })
      : TransformChain.of(transforms, plan.source.sample, { layout, seed, fuse });
    this.#targetForm = targetFormOf(transforms, plan.source.classes, "data");
    this.#delays = slow ? [delay.read, delay.decode] : [own.length === 1 ? delay.read : delay.decode];
    this.#lastOfSource = own.length - 1;
    this.#chainClock = new SharedClock(stages.length);
    this.stages = [...stages, ...this.#chain.stages];
  }

  /**
   * Imports the user's functions and opens the source.
   *
   * @throws {InputError} if a module cannot be imported or a file not be opened
   */
  static async open(plan: SamplePlan): Promise<SampleMaker> {
    await loadTransforms(plan.transforms);
    return new SampleMaker(plan, await readerOf(plan.source).open(plan.source, plan.delay.read));
  }

  /**
   * Makes sample `sample` of the split as it is in `epoch`. Returns a promise only where the source has to wait. After an
   * error it can be called again.
   *
   * @throws {InputError} if what is read is no valid sample, or a transform cannot take it
   */
  make(
    sample: number,
    epoch: number,
    input: Float32Array,
    inputAt: number,
    target: Int32Array | Float32Array,
    targetAt: number,
    clock: StageClock | null,
  ): void | Promise<void> {
    const label = this.#targetForm !== null;
    const pending = this.#source.read(sample, label ? this.#label : target, label ? 0 : targetAt, clock);
    if (pending === undefined) return this.#transform(sample, epoch, input, inputAt, target, targetAt, clock);
    return pending.then(() => this.#transform(sample, epoch, input, inputAt, target, targetAt, clock));
  }

  /** For sources that come in one order only: see `Source.seek`. */
  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#source.seek?.(epoch, order, from);
  }

  close(): void {
    this.#source.close();
  }

  #transform(
    sample: number,
    epoch: number,
    input: Float32Array,
    inputAt: number,
    target: Int32Array | Float32Array,
    targetAt: number,
    clock: StageClock | null,
  ): void {
    for (let i = 0; i < this.#delays.length; i++) {
      sleep(this.#delays[i]!);
      clock?.lap(this.#lastOfSource + i);
    }
    this.#chainClock.clock = clock;
    this.#chain.run(this.#source, input, inputAt, epoch, sample, clock === null ? null : this.#chainClock);
    if (this.#targetForm === null) return;
    this.#targetForm.write(this.#label[0]!, target, targetAt);
    if (this.#targetForm.delay > 0) sleep(this.#targetForm.delay);
  }
}
