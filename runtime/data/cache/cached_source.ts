import type { DataArray } from "../shared.ts";
import type { StageClock } from "../stage_clock.ts";
import type { ReaderPlan, Source } from "../readers/reader.ts";
import type { TransformChain } from "../transforms/chain.ts";
import { EVERY_EPOCH, type Pixels, type SampleType } from "../transforms/transform.ts";
import type { CachePlan } from "./cache_plan.ts";
import { type Claim, SampleCache } from "./sample_cache.ts";

/** Words of height and width before a sample. */
const HEADER_WORDS = 2;

/** Returns the bytes of a sample in a cache; null if samples differ in size. */
export function cachedBytes(plan: ReaderPlan, type: SampleType | null): number | null {
  const size = type === null ? 0 : valuesOf(type, type);
  return size === null ? null : inputAt(plan) + size * (type?.dtype === "f32" ? 4 : 1);
}

/** Returns the number of values; null for an unknown size. */
function valuesOf({ channels }: SampleType, { height, width }: Pick<SampleType, "height" | "width">): number | null {
  return height === null || width === null ? null : channels * height * width;
}

/** Returns the offset of a sample's input, after the header, the target and the further fields. */
function inputAt({ targetSize, fields = {} }: ReaderPlan): number {
  const others = Object.values(fields).reduce((sum, { dtype, length }) => sum + bytesOf(dtype, length), 0);
  return 4 * (HEADER_WORDS + targetSize) + others;
}

/** Returns the bytes of a field, in whole words. */
function bytesOf(dtype: string, length: number): number {
  return Math.ceil(dtype === "u8" ? length / 4 : length) * 4;
}

/** Further field of a sample, with its offset in bytes. */
interface OtherField {
  readonly name: string;
  readonly at: number;
  readonly length: number;
  readonly kind: View<DataArray>;
}

type View<A> = new (buffer: ArrayBufferLike, offset: number, length: number) => A;

const ARRAYS = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, u8: Uint8Array } as const;

/**
 * Source that keeps its samples, after the transforms before the cache, and reads each of them once. Its last stage is
 * `cache`.
 */
export class CachedSource implements Source {
  readonly stages: readonly string[];
  data: Uint8Array | Float32Array = new Uint8Array(0);
  offset = 0;
  height: number | undefined;
  width: number | undefined;
  step: number | undefined;
  warning: string | null = null;
  readonly fields: Record<string, DataArray> = {};
  readonly #source: Source;
  readonly #chain: TransformChain | null;
  readonly #type: SampleType | null;
  readonly #cache: SampleCache;
  /** Samples of user code that the current batch has stored; null without user code, whose samples are final. */
  readonly #stored: Map<number, Claim> | null;
  #closed = false;
  /** Stages of the source. */
  readonly #own: number;
  readonly #others: readonly OtherField[];
  readonly #target: Int32Array | Float32Array;
  readonly #targets: View<Int32Array | Float32Array>;
  readonly #inputAt: number;
  /** Views of the memory that was read last. */
  #bytes: Uint8Array = new Uint8Array(0);
  #floats: Float32Array = new Float32Array(0);

  /**
   * @param chain transforms before the cache; null without any
   * @param type type of the samples after them; null if inputs are copied unchanged
   * @param userCode user code makes the samples, so that an error can arrive after a sample
   */
  constructor(
    source: Source,
    cache: CachePlan,
    { reader, chain, type, userCode }: {
      reader: ReaderPlan;
      chain: TransformChain | null;
      type: SampleType | null;
      userCode: boolean;
    },
  ) {
    this.#source = source;
    this.#chain = chain;
    this.#type = type;
    this.#cache = new SampleCache(cache);
    this.#stored = userCode ? new Map() : null;
    const own = source.stages ?? ["read"];
    this.#own = own.length;
    this.stages = [...own, ...chain?.stages ?? [], "cache"];
    this.#targets = ARRAYS[reader.targetDType];
    this.#target = new ARRAYS[reader.targetDType](reader.targetSize);
    let at = 4 * (HEADER_WORDS + reader.targetSize);
    this.#others = Object.entries(reader.fields ?? {}).map(([name, { dtype, length }]) => {
      const field = { name, at, length, kind: ARRAYS[dtype] };
      at += bytesOf(dtype, length);
      return field;
    });
    this.#inputAt = at;
  }

  read(index: number, target: Int32Array | Float32Array, at: number, clock?: StageClock | null): void | Promise<void> {
    if (this.#find(index, target, at)) return;
    const pending = this.#source.read(index, this.#target, 0, clock);
    if (pending === undefined) return this.#keep(index, target, at, clock ?? null);
    return pending.then(() => this.#keep(index, target, at, clock ?? null));
  }

  endBatch(invalid: ReadonlySet<number>): void {
    for (const [sample, claim] of this.#stored ?? []) {
      if (invalid.has(sample)) claim.release();
      else claim.publish();
    }
    // Errors of samples in earlier batches
    for (const sample of invalid) this.#cache.forget(sample);
    this.#stored?.clear();
  }

  close(): void {
    this.#closed = true;
    this.#source.close();
    this.#cache.close();
  }

  /** Reads a sample from the cache; returns false if it is not there. */
  #find(index: number, target: Int32Array | Float32Array, at: number): boolean {
    const found = this.#cache.find(index);
    if (found === null) return false;
    const { buffer, byteOffset } = found;
    const words = new Int32Array(buffer, byteOffset, HEADER_WORDS);
    [this.height, this.width] = [words[0]!, words[1]!];
    this.step = undefined;
    this.warning = null;
    target.set(new this.#targets(buffer, byteOffset + 4 * HEADER_WORDS, this.#target.length), at);
    for (const { name, at, length, kind } of this.#others) {
      this.fields[name] = new kind(buffer, byteOffset + at, length);
    }
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#floats = new Float32Array(buffer);
    }
    const f32 = this.#type?.dtype === "f32";
    this.data = f32 ? this.#floats : this.#bytes;
    this.offset = (byteOffset + this.#inputAt) / (f32 ? 4 : 1);
    return true;
  }

  /** Runs the transforms before the cache on a sample that was read, and writes it to the cache. */
  #keep(index: number, target: Int32Array | Float32Array, at: number, clock: StageClock | null): void {
    clock?.lap(this.#own - 1);
    target.set(this.#target, at);
    const offsetClock = clock === null ? null : { lap: (i: number) => clock.lap(this.#own + i) };
    const pixels = this.#chain?.pixels(this.#source, EVERY_EPOCH, index, offsetClock) ?? this.#source;
    ({ data: this.data, offset: this.offset, height: this.height, width: this.width, step: this.step } = pixels);
    Object.assign(this.fields, this.#source.fields);
    this.warning = this.#source.warning ?? null;
    this.#store(index);
  }

  #store(index: number): void {
    if (this.#closed) return; // an answer after its time limit
    const type = this.#type;
    const height = this.height ?? type?.height ?? 0;
    const width = this.width ?? type?.width ?? 0;
    const count = type === null ? 0 : type.channels * height * width;
    const f32 = type?.dtype === "f32";
    const claim = this.#cache.claim(index, this.#inputAt + count * (f32 ? 4 : 1));
    if (claim === null) return;
    const { buffer, byteOffset } = claim.bytes;
    new Int32Array(buffer, byteOffset, HEADER_WORDS).set([height, width]);
    new this.#targets(buffer, byteOffset + 4 * HEADER_WORDS, this.#target.length).set(this.#target);
    for (const { name, at, length, kind } of this.#others) {
      new kind(buffer, byteOffset + at, length).set(this.#source.fields![name]!.subarray(0, length));
    }
    const values: View<Uint8Array | Float32Array> = f32 ? Float32Array : Uint8Array;
    if (type !== null) copyPixels(this, type, new values(buffer, byteOffset + this.#inputAt, count));
    claim.write();
    if (this.#stored === null) claim.publish();
    else this.#stored.set(index, claim);
  }
}

/** Copies the values of a sample, without gaps between pixels. */
function copyPixels({ data, offset, step }: Pixels, { channels }: SampleType, to: Uint8Array | Float32Array): void {
  if (step === undefined || step === channels) {
    to.set(data.subarray(offset, offset + to.length));
    return;
  }
  for (let i = 0, from = offset; i < to.length; from += step) {
    for (let c = 0; c < channels; c++) to[i++] = data[from + c]!;
  }
}
