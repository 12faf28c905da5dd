import type { RawPass } from "../record/device_samples.ts";
import { bracketClock, clockTrack } from "./clock.ts";
import type { Device } from "./device.ts";

/** Queries that a pass writes at its begin and its end. */
export type PassTimestamps = GPUComputePassTimestampWrites;

/** Maximum number of queries in a set. */
const QUERIES = 4096;
/** Initial size of a recorder's results, in bytes. */
export const TIMESTAMP_BYTES = QUERIES * 8;
/** Alignment of resolved values: 256 bytes, or 32 values. */
const STRIDE = 32;

/** Values of one submit in the results. */
interface Submit {
  readonly offset: number;
  readonly count: number;
  /** `performance.now()` before the submit. */
  readonly submitted: number;
  /** `performance.now()` after the first known wait for it; null before one. */
  done: number | null;
}

/**
 * Timestamps of passes over many submits. Every submit uses the same query set from its start, and resolves its values
 * into one buffer, after those of earlier submits. The buffer is read once, at the end of a block.
 *
 * The values are returned unchecked, on the continuous axis of the device's clock and with the host's bounds of their
 * submit. A query that a pass did not write keeps its old value, and the destination is cleared before each use, so that
 * `record/device_samples.ts` can detect such values.
 */
export class TimestampRecorder {
  readonly #device: Device;
  readonly #querySet: GPUQuerySet;
  #results: GPUBuffer;
  readonly #outgrown: GPUBuffer[] = [];
  #used = 0;
  #inSubmit = 0;
  #submits: Submit[] = [];

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
    this.#noteWait();
    this.#submits.push({ offset: this.#used, count, submitted: performance.now(), done: null });
    this.#used += room;
  }

  /**
   * Reads the timestamps of all passes since the last call, in order. Blocks until the device is done, and samples its
   * clock.
   */
  async read(): Promise<RawPass[]> {
    const submits = this.#submits;
    const used = this.#used;
    if (used === 0) return [];
    this.#noteWait();
    this.#submits = [];
    this.#used = 0;
    const track = await clockTrack(this.#device);
    const clock = bracketClock(this.#device);
    const done = performance.now();
    const results = { buffer: this.#results, offset: 0, size: used * 8 };
    const [bytes, clockBytes] = await this.#device.read([results, clock.range]).finally(() => clock.free());
    clock.observe(clockBytes!);
    const encoder = this.#device.gpu.createCommandEncoder({ label: "clear timestamps" });
    encoder.clearBuffer(this.#results);
    this.#device.submit(encoder);
    for (const buffer of this.#outgrown.splice(0)) this.#device.free(buffer);
    const values = new BigUint64Array(bytes!);
    return submits.flatMap(({ offset, count, ...submit }) =>
      Array.from({ length: count / 2 }, (_, i) => {
        const [begin, end] = [values[offset + 2 * i]!, values[offset + 2 * i + 1]!];
        return track.place({ begin, end }, { submitted: submit.submitted, done: submit.done ?? done });
      })
    );
  }

  free(): void {
    for (const buffer of [this.#results, ...this.#outgrown]) this.#device.free(buffer);
    this.#querySet.destroy();
  }

  /** Notes the device's last wait as the end of the submits that it covers. */
  #noteWait(): void {
    const { waited } = this.#device;
    for (let i = this.#submits.length - 1; i >= 0 && this.#submits[i]!.done === null; i--) {
      if (waited > this.#submits[i]!.submitted) this.#submits[i]!.done = waited;
    }
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
