import { PassChecker } from "./checked_passes.ts";
import { DeviceClock } from "./device_clock.ts";
import { doAwaiting } from "./device_waits.ts";
import { native } from "./native.ts";
import { QUERIES, QuerySets, type SharedSet, type TimedPass } from "./query_sets.ts";
import { type ReadPasses, readPasses, withTimes } from "./read_passes.ts";

/** Bytes of a set's values. */
const VALUES = QUERIES * 8;

/** Staging buffers; a program that submits this many sets in one task has no times beyond them. */
const MAX_STAGING = 32;

/** A copy of a set's values that is on its way to the host. */
interface Copy {
  readonly staging: GPUBuffer;
  readonly slots: readonly TimedPass[];
  readonly bytes: number;
}

/**
 * Timestamps of passes over many encoders, where waits do not block. The device copies them to a ring of staging buffers,
 * and each copy is mapped in the same task, so that it arrives before anything that the program waits for later.
 */
export class TimestampRing {
  readonly clock: DeviceClock;
  readonly sets: QuerySets;
  readonly #gpu: GPUDevice;
  readonly #queue: GPUQueue;
  readonly #now: () => number;
  readonly #checker: PassChecker;
  readonly #resolved: GPUBuffer;
  readonly #clockStaging: GPUBuffer;
  readonly #free: GPUBuffer[] = [];
  #staging = 0;
  #sampling: Promise<void> | null = null;

  constructor(gpu: GPUDevice, queue: GPUQueue, now: () => number) {
    this.#gpu = gpu;
    this.#queue = queue;
    this.#now = now;
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    this.#resolved = native.createBuffer.call(gpu, { label: "attach", size: VALUES, usage });
    this.#clockStaging = this.#createStaging(DeviceClock.bytes);
    this.sets = new QuerySets(gpu);
    this.clock = new DeviceClock(gpu, queue, now);
    this.#checker = new PassChecker(this.clock.axis);
  }

  /** Samples the clocks of host and device, waiting for the device; shares a sample that is under way. */
  async sampleClock(): Promise<void> {
    this.#sampling ??= this.#sample().finally(() => this.#sampling = null);
    await this.#sampling;
  }

  /** Copies the timestamps of all submitted passes, and returns them once they have arrived; null if there are none. */
  read(): Promise<ReadPasses | null> {
    const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach" });
    const copies = this.sets.take().flatMap((queries): Copy[] => {
      const copy = this.#copy(encoder, queries);
      this.sets.giveBack(queries);
      return copy === null ? [] : [copy];
    });
    if (copies.length === 0) return Promise.resolve(null);
    native.submit.call(this.#queue, [native.finish.call(encoder)]);
    return this.#arrived(copies, copies.map(({ staging, bytes }) => map(staging, bytes)));
  }

  async #arrived(copies: readonly Copy[], values: readonly Promise<BigUint64Array>[]): Promise<ReadPasses> {
    const passes = copies.map(async ({ staging, slots }, i) => {
      const read = withTimes(slots, await values[i]!);
      this.#free.push(staging);
      return read;
    });
    return readPasses(this.#checker, (await Promise.all(passes)).flat(), this.#now());
  }

  /** Encodes the copy of a set's values; null if no pass was submitted, or no staging buffer is left. */
  #copy(encoder: GPUCommandEncoder, queries: SharedSet): Copy | null {
    const staging = this.#free.pop() ?? (this.#staging < MAX_STAGING ? this.#createStaging(VALUES) : null);
    if (staging === null) return null;
    const slots = this.sets.submitted(queries);
    if (slots.length === 0) {
      this.#free.push(staging);
      return null;
    }
    const bytes = queries.used * 8;
    native.resolveQuerySet.call(encoder, queries.set, 0, queries.used, this.#resolved, 0);
    native.copyBufferToBuffer.call(encoder, this.#resolved, 0, staging, 0, bytes);
    return { staging, slots, bytes };
  }

  async #sample(): Promise<void> {
    await doAwaiting(this.clock.bracket());
    const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach" });
    this.clock.resolve(encoder, this.#resolved, 0);
    native.copyBufferToBuffer.call(encoder, this.#resolved, 0, this.#clockStaging, 0, DeviceClock.bytes);
    native.submit.call(this.#queue, [native.finish.call(encoder)]);
    this.clock.observe(await map(this.#clockStaging, DeviceClock.bytes));
  }

  #createStaging(size: number): GPUBuffer {
    if (size === VALUES) this.#staging++;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    return native.createBuffer.call(this.#gpu, { label: "attach", size, usage });
  }
}

/** Maps a staging buffer, and returns a copy of its values. */
async function map(staging: GPUBuffer, bytes: number): Promise<BigUint64Array> {
  await native.mapAsync.call(staging, GPUMapMode.READ, 0, bytes);
  const values = new BigUint64Array(native.getMappedRange.call(staging, 0, bytes).slice(0));
  native.unmap.call(staging);
  return values;
}
