/**
 * Makes single samples on one thread: reads, decodes and transforms them into a batch.
 *
 * @module
 */
import type { Layout } from "../core/layout.ts";
import type { CachePlan } from "./cache/cache_plan.ts";
import { CachedSource } from "./cache/cached_source.ts";
import { cachePoint } from "./cache/cache_point.ts";
import { type FieldArrays, type FieldSize, type FieldSizes, paddedLength } from "./fields.ts";
import type { Source } from "./readers/reader.ts";
import { readerOf, type SourcePlan } from "./readers/readers.ts";
import { slowed } from "./readers/slow_source.ts";
import { sleep } from "./sleep.ts";
import type { StageClock } from "./stage_clock.ts";
import { TransformChain } from "./transforms/chain.ts";
import {
  loadTransforms,
  resultType,
  runUserCode,
  stepsOf,
  targetFormOf,
  type TransformSpec,
} from "./transforms/definitions.ts";
import { DeviceChain } from "./transforms/device_chain.ts";
import type { SampleType } from "./transforms/transform.ts";

/** Plan of samples, as plain data that is cloned to workers. */
export interface SamplePlan {
  readonly source: SourcePlan;
  readonly transforms: readonly TransformSpec[];
  readonly fuse: boolean;
  /** Thread or device that runs the last transforms. */
  readonly placement: "host" | "device";
  readonly layout: Layout;
  readonly seed: number;
  /** Milliseconds to sleep for each sample, and for each batch. */
  readonly delay: { readonly read: number; readonly decode: number; readonly collate: number };
  /** Cache of the samples, after some of the transforms; null without one. */
  readonly cache: CachePlan | null;
}

/** Returns the fields of one sample after the transforms. */
export function sampleFields({ source, transforms, placement }: SamplePlan): FieldSizes {
  const form = targetFormOf(transforms, source.classes, "data");
  return {
    ...source.sample !== null && { input: inputField(source.sample, transforms, placement) },
    target: form === null
      ? { dtype: source.targetDType, length: source.targetSize }
      : { dtype: "f32", length: form.size },
    ...Object.fromEntries(
      Object.entries(source.fields ?? {}).map(([name, { dtype, length }]) => {
        return [name, { dtype, length: paddedLength(dtype, length) }];
      }),
    ),
  };
}

function inputField(
  sample: SampleType,
  transforms: readonly TransformSpec[],
  placement: SamplePlan["placement"],
): FieldSize<"f32" | "u32"> {
  if (placement === "device") return { dtype: "u32", length: DeviceChain.part(transforms, sample).words };
  const { channels, height, width } = resultType(transforms, sample, "data");
  return { dtype: "f32", length: channels * height * width };
}

/** Returns true if samples are made by user code. */
export function runsUserCode({ source, transforms }: Pick<SamplePlan, "source" | "transforms">): boolean {
  return readerOf(source).userCode === true || runUserCode(transforms);
}

/** Puts the plan's cache behind a source and the transforms before the cache. */
function cached(source: Source, plan: SamplePlan, cache: CachePlan): Source {
  const { source: reader, transforms, seed, fuse } = plan;
  const { steps, type } = cachePoint(plan);
  const chain = steps === 0 || type === null
    ? null
    : new TransformChain(stepsOf(transforms, reader.sample!, seed, "data").slice(0, steps), reader.sample!, {
      order: type.order,
      fuse,
      convert: false,
    });
  return new CachedSource(source, cache, { reader, chain, type, userCode: runsUserCode(plan) });
}

/** Clock of a chain, whose stages come after those of the source. */
class OffsetClock implements StageClock {
  clock: StageClock | null = null;
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  lap(index: number): void {
    this.clock!.lap(this.#first + index);
  }
}

/** Makes samples of a plan. */
export class SampleMaker {
  /** Names of the stages of a sample, in order: those of the source, then the passes. */
  readonly stages: readonly string[];
  readonly #source: Source;
  /** One of the two makes the input, depending on the plan's placement; neither if inputs are copied unchanged. */
  readonly #hostChain: TransformChain | null;
  readonly #deviceChain: DeviceChain | null;
  readonly #targetForm: ReturnType<typeof targetFormOf>;
  readonly #label = new Int32Array(1);
  readonly #lastOfSource: number;
  readonly #chainClock: OffsetClock;
  readonly #inputLength: number;
  readonly #targetLength: number;
  /** Fields copied unchanged: name, size, and elements from one sample to the next. */
  readonly #others: readonly { readonly name: string; readonly size: number; readonly length: number }[];

  private constructor(plan: SamplePlan, source: Source) {
    const fields = sampleFields(plan);
    this.#inputLength = plan.source.sample === null ? 0 : fields["input"]!.length;
    this.#targetLength = fields.target.length;
    this.#others = Object.entries(plan.source.fields ?? {}).map(([name, { length: size }]) => {
      return { name, size, length: fields[name]!.length };
    });
    const { transforms, layout, seed, fuse } = plan;
    const stages = source.stages ?? ["read"];
    this.#source = source;
    const { sample } = plan.source;
    const onDevice = plan.placement === "device";
    const { steps: skip } = cachePoint(plan);
    this.#hostChain = onDevice || sample === null
      ? null
      : TransformChain.of(transforms, sample, { layout, seed, fuse, skip });
    this.#deviceChain = onDevice && sample !== null ? new DeviceChain(transforms, sample, { seed, fuse, skip }) : null;
    this.#targetForm = targetFormOf(transforms, plan.source.classes, "data");
    this.#lastOfSource = stages.length - 1;
    this.#chainClock = new OffsetClock(stages.length);
    this.stages = [...stages, ...(this.#hostChain ?? this.#deviceChain)?.stages ?? []];
  }

  /**
   * Imports user functions and opens the source.
   *
   * @throws {InputError} if a module cannot be imported or a file cannot be opened
   */
  static async open(plan: SamplePlan): Promise<SampleMaker> {
    await loadTransforms(plan.transforms);
    const source = slowed(await readerOf(plan.source).open(plan.source, plan.delay.read), plan.delay);
    return new SampleMaker(plan, plan.cache === null ? source : cached(source, plan, plan.cache));
  }

  /**
   * Makes a sample of the split for `epoch` at a place of a batch. Returns a promise only if the source has to wait. Can be
   * called again after an error.
   *
   * @throws {InputError} if the sample is invalid or a transform does not accept it
   */
  make(
    sample: number,
    epoch: number,
    batch: FieldArrays,
    place: number,
    clock: StageClock | null,
  ): void | Promise<void> {
    const label = this.#targetForm !== null;
    const targetAt = label ? 0 : place * this.#targetLength;
    const pending = this.#source.read(sample, label ? this.#label : batch.target, targetAt, clock);
    if (pending === undefined) return this.#transform(sample, epoch, batch, place, clock);
    return pending.then(() => this.#transform(sample, epoch, batch, place, clock));
  }

  /** Problem with the sample made last, which leaves it whole; null without one. */
  get warning(): string | null {
    return this.#source.warning ?? null;
  }

  /** Prepares a sequential source; see `Source.seek`. */
  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#source.seek?.(epoch, order, from);
  }

  /** Ends a batch that user code has made; see `Source.endBatch`. */
  endBatch(invalid: ReadonlySet<number>): void {
    this.#source.endBatch?.(invalid);
  }

  close(): void {
    this.#source.close();
  }

  #transform(
    sample: number,
    epoch: number,
    batch: FieldArrays,
    place: number,
    clock: StageClock | null,
  ): void {
    clock?.lap(this.#lastOfSource);
    this.#chainClock.clock = clock;
    const chainClock = clock === null ? null : this.#chainClock;
    const { input } = batch;
    const inputAt = place * this.#inputLength;
    this.#hostChain?.run(this.#source, input as Float32Array, inputAt, epoch, sample, chainClock);
    this.#deviceChain?.run(this.#source, input as Uint32Array, inputAt, epoch, sample, chainClock);
    if (this.#others.length > 0) this.#copyOthers(sample, batch, place);
    if (this.#targetForm === null) return;
    this.#targetForm.write(this.#label[0]!, batch.target, place * this.#targetLength);
    if (this.#targetForm.delay > 0) sleep(this.#targetForm.delay);
  }

  #copyOthers(sample: number, batch: FieldArrays, place: number): void {
    for (const { name, size, length } of this.#others) {
      const values = this.#source.fields?.[name];
      if (values?.length !== size) {
        throw new Error(`Sample ${sample} has ${values?.length ?? "no"} values of "${name}", expected ${size}`);
      }
      batch[name]!.set(values, place * length);
    }
  }
}
