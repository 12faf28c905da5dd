import { PassChecker } from "./checked_passes.ts";
import { DeviceClock } from "./device_clock.ts";
import { doBlocking } from "./device_waits.ts";
import { native } from "./native.ts";
import { QUERIES, QuerySets, type SharedSet } from "./query_sets.ts";
import { type PassWithTimes, type ReadPasses, readPasses, withTimes } from "./read_passes.ts";

/** Bytes of a set's values, after which those of the clock lie. */
const VALUES = QUERIES * 8;

/**
 * Timestamps of passes over many encoders, where waits block. Passes share query sets, which are read where the program waits
 * for the device anyway: the staging buffer was mapped once, so later its contents can be read within the call to `mapAsync`,
 * before its promise resolves, and so at the program's end too.
 */
export class TimestampPool {
  readonly clock: DeviceClock;
  readonly sets: QuerySets;
  readonly #checker: PassChecker;
  readonly #gpu: GPUDevice;
  readonly #queue: GPUQueue;
  readonly #resolved: GPUBuffer;
  readonly #staging: GPUBuffer;
  #primed = false;

  constructor(gpu: GPUDevice, queue: GPUQueue, now: () => number) {
    this.#gpu = gpu;
    this.#queue = queue;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const size = VALUES + DeviceClock.bytes;
    const buffer = (usage: number) => native.createBuffer.call(gpu, { label: "attach", size, usage });
    this.#resolved = buffer(QUERY_RESOLVE | COPY_SRC);
    this.#staging = buffer(MAP_READ | COPY_DST);
    this.sets = new QuerySets(gpu);
    this.clock = new DeviceClock(gpu, queue, now);
    this.#checker = new PassChecker(this.clock.axis);
  }

  /** Maps the staging buffer for the first time, which a later reading needs. */
  async prime(): Promise<void> {
    doBlocking(this.clock.bracket());
    this.#resolve(null);
    await native.mapAsync.call(this.#staging, GPUMapMode.READ);
    this.#observe(this.#mapped());
    this.#primed = true;
  }

  /**
   * Reads the passes that were submitted; null if there are none. Blocks until the device is done, so call it where the
   * program has just waited.
   *
   * @param done time at which the program's own wait returned
   */
  read(done: number): ReadPasses | null {
    if (!this.#primed) return null;
    doBlocking(this.clock.bracketIfDue());
    const passes = this.sets.take().flatMap((queries) => {
      const read = this.#readSet(queries);
      this.sets.giveBack(queries);
      return read;
    });
    return passes.length === 0 ? null : readPasses(this.#checker, passes, done);
  }

  #readSet(queries: SharedSet): PassWithTimes[] {
    const slots = this.sets.submitted(queries);
    if (slots.length === 0) return [];
    this.#resolve(queries);
    native.mapAsync.call(this.#staging, GPUMapMode.READ).catch(() => {}); // a lost device
    const values = this.#mapped();
    this.#observe(values);
    return withTimes(slots, values);
  }

  /** Copies the values of a set and of the clock to the staging buffer. */
  #resolve(queries: SharedSet | null): void {
    const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach" });
    if (queries !== null) native.resolveQuerySet.call(encoder, queries.set, 0, queries.used, this.#resolved, 0);
    this.clock.resolve(encoder, this.#resolved, VALUES);
    native.copyBufferToBuffer.call(encoder, this.#resolved, 0, this.#staging, 0, this.#staging.size);
    native.submit.call(this.#queue, [native.finish.call(encoder)]);
  }

  #mapped(): BigUint64Array {
    const values = new BigUint64Array(native.getMappedRange.call(this.#staging).slice(0));
    native.unmap.call(this.#staging);
    return values;
  }

  #observe(values: BigUint64Array): void {
    this.clock.observe(values.subarray(VALUES / 8));
  }
}
