import type { PassTimes } from "../record/device_samples.ts";
import type { Device } from "./device.ts";

/** Queries that a pass writes at its begin and its end. */
export type PassTimestamps = GPUComputePassTimestampWrites;

/** Maximum number of queries in a set. */
const QUERIES = 4096;
/** Initial size of a recorder's results, in bytes. */
export const TIMESTAMP_BYTES = QUERIES * 8;
/** Alignment of resolved values: 256 bytes, or 32 values. */
const STRIDE = 32;

/**
 * Timestamps of passes over many submits. Every submit uses the same query set from its start, and resolves its values
 * into one buffer, after those of earlier submits. The buffer is read once, at the end of a block.
 *
 * The values are returned unchecked. A query that a pass did not write keeps its old value, and the destination is
 * cleared before each use, so that `record/device_samples.ts` can detect such values.
 */
export class TimestampRecorder {
  readonly #device: Device;
  readonly #querySet: GPUQuerySet;
  #results: GPUBuffer;
  readonly #outgrown: GPUBuffer[] = [];
  #used = 0;
  #inSubmit = 0;
  #submits: { offset: number; count: number }[] = [];

  constructor(device: Device) {
    this.#device = device;
    this.#querySet = device.gpu.createQuerySet({ label: "passes", type: "timestamp", count: QUERIES });
    this.#results = this.#buffer(QUERIES);
  }

  /** Maximum number of timed passes in one submit. */
  static readonly passesPerSubmit = QUERIES / 2;

  /** True if the current submit can time another pass. */
  get hasRoom(): boolean {
    return this.#inSubmit + 2 <= QUERIES;
  }

  /** Returns the queries for the next pass of the current submit. */
  next(): PassTimestamps {
    const index = this.#inSubmit;
    if (index + 2 > QUERIES) throw new Error(`More than ${QUERIES / 2} timed passes in one submit`);
    this.#inSubmit += 2;
    return { querySet: this.#querySet, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 };
  }

  /** Resolves the timestamps of this submit. Must be the last command encoded in it. */
  endSubmit(encoder: GPUCommandEncoder): void {
    const count = this.#inSubmit;
    if (count === 0) return;
    this.#inSubmit = 0;
    const room = Math.ceil(count / STRIDE) * STRIDE;
    if ((this.#used + room) * 8 > this.#results.size) this.#grow(encoder, this.#used + room);
    encoder.resolveQuerySet(this.#querySet, 0, count, this.#results, this.#used * 8);
    this.#submits.push({ offset: this.#used, count });
    this.#used += room;
  }

  /** Reads the timestamps of all passes since the last call, in order. Blocks until the device is done. */
  async read(): Promise<PassTimes[]> {
    const submits = this.#submits;
    const used = this.#used;
    this.#submits = [];
    this.#used = 0;
    if (used === 0) return [];
    const [bytes] = await this.#device.read([{ buffer: this.#results, offset: 0, size: used * 8 }]);
    const encoder = this.#device.gpu.createCommandEncoder({ label: "clear timestamps" });
    encoder.clearBuffer(this.#results);
    this.#device.submit(encoder);
    for (const buffer of this.#outgrown.splice(0)) this.#device.free(buffer);
    const values = new BigUint64Array(bytes!);
    const passes: PassTimes[] = [];
    for (const { offset, count } of submits) {
      for (let i = offset; i < offset + count; i += 2) passes.push({ begin: values[i]!, end: values[i + 1]! });
    }
    return passes;
  }

  free(): void {
    for (const buffer of [this.#results, ...this.#outgrown]) this.#device.free(buffer);
    this.#querySet.destroy();
  }

  #grow(encoder: GPUCommandEncoder, values: number): void {
    const larger = this.#buffer(Math.max(values, (this.#results.size / 8) * 2));
    encoder.copyBufferToBuffer(this.#results, 0, larger, 0, this.#used * 8);
    this.#outgrown.push(this.#results); // in use by the copy until the next read
    this.#results = larger;
  }

  #buffer(values: number): GPUBuffer {
    return this.#device.buffer(
      "timestamps",
      values * 8,
      GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    );
  }
}
