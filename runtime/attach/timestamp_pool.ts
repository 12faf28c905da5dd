import type { PassTimes } from "../record/device_samples.ts";
import { PassChecker } from "./checked_passes.ts";
import { DeviceClock } from "./device_clock.ts";
import { type DeviceWaits, doAwaiting, doBlocking } from "./device_waits.ts";
import { native } from "./native.ts";
import type { Realm } from "./realm.ts";
import type { PassesRecord } from "./records.ts";

/** Queries of a set, the most that WebGPU allows. */
const QUERIES = 4096;

/** Live query sets; some back ends have about 30. */
const MAX_SETS = 12;

/** Bytes of a set's values, after which those of the clock lie. */
const VALUES = QUERIES * 8;

/** A query set that the passes of many encoders share. */
interface SharedSet {
  readonly set: GPUQuerySet;
  used: number;
  slots: TimedPass[];
}

/** Two queries for a pass. */
export interface TimedPass {
  readonly queries: SharedSet;
  readonly at: number;
  /** Index of the site; -1 while the pass is empty. */
  site: number;
  /** Index of the submit; -1 before it. */
  submit: number;
  /** Time before the submit. */
  submitted: number;
  /** Place in the order of execution. */
  order: number;
  /** Copies and untimed passes before it in its encoder. */
  readonly between: number;
  /** True if its encoder will never be submitted. */
  abandoned: boolean;
}

/** Timed passes of one reading. */
export type ReadPasses = Omit<PassesRecord, "kind" | "device">;

/**
 * Timestamps of passes over many encoders. Passes share query sets, which are read where the program waits for the device
 * anyway: the staging buffer was mapped once, so later its contents can be read within the call to `mapAsync`, before its
 * promise resolves, and so at the program's end too.
 */
export class TimestampPool {
  readonly clock: DeviceClock;
  readonly #checker: PassChecker;
  readonly #gpu: GPUDevice;
  readonly #queue: GPUQueue;
  readonly #free: SharedSet[] = [];
  readonly #full: SharedSet[] = [];
  #current: SharedSet | null = null;
  #sets = 0;
  readonly #resolved: GPUBuffer;
  readonly #staging: GPUBuffer;
  readonly #waitsBlock: boolean;
  #primed = false;
  #reading = false;

  constructor(gpu: GPUDevice, queue: GPUQueue, { now, waitsBlock }: Pick<Realm, "now" | "waitsBlock">) {
    this.#waitsBlock = waitsBlock;
    this.#gpu = gpu;
    this.#queue = queue;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const size = VALUES + DeviceClock.bytes;
    const buffer = (usage: number) => native.createBuffer.call(gpu, { label: "attach", size, usage });
    this.#resolved = buffer(QUERY_RESOLVE | COPY_SRC);
    this.#staging = buffer(MAP_READ | COPY_DST);
    this.clock = new DeviceClock(gpu, queue, now);
    this.#checker = new PassChecker(this.clock.axis);
  }

  /** Maps the staging buffer for the first time, which a later reading needs. */
  async prime(): Promise<void> {
    if (this.#waitsBlock) doBlocking(this.clock.bracket());
    else await doAwaiting(this.clock.bracket());
    this.#resolve(null);
    await native.mapAsync.call(this.#staging, GPUMapMode.READ);
    this.#observe(this.#mapped());
    this.#primed = true;
  }

  /** Returns queries for the next pass; null while all sets are in use. */
  slot(between: number): TimedPass | null {
    let queries = this.#current;
    if (queries === null || queries.used + 2 > QUERIES) {
      if (queries !== null) this.#full.push(queries);
      this.#current = queries = this.#free.pop() ?? this.#create();
      if (queries === null) return null;
    }
    const slot = { queries, at: queries.used, site: -1, submit: -1, submitted: 0, order: 0, between, abandoned: false };
    queries.used += 2;
    queries.slots.push(slot);
    return slot;
  }

  /** Number of queries that were handed out since the last reading of the current set, and of full sets. */
  get waiting(): number {
    return this.#full.length * QUERIES + (this.#current?.used ?? 0);
  }

  /**
   * Reads the passes that were submitted; null if there are none. Blocks until the device is done, so call it where the
   * program has just waited.
   *
   * @param done time at which the program's own wait returned
   */
  read(done: number): ReadPasses | null {
    return doBlocking(this.#read(done));
  }

  /** Reads the passes that were submitted, where waits do not block; null if there are none, or another reading goes on. */
  async readLater(done: number): Promise<ReadPasses | null> {
    if (this.#reading) return null;
    this.#reading = true;
    try {
      return await doAwaiting(this.#read(done));
    } finally {
      this.#reading = false;
    }
  }

  *#read(done: number): DeviceWaits<ReadPasses | null> {
    if (!this.#primed) return null;
    yield* this.clock.bracketIfDue();
    const passes: (TimedPass & PassTimes)[] = [];
    const current = this.#current;
    // While a wait goes on, the program may begin passes, which take another set
    if (!this.#waitsBlock) this.#current = null;
    for (const queries of [...this.#full.splice(0), ...current === null ? [] : [current]]) {
      passes.push(...yield* this.#readSet(queries));
      const open = queries.slots.length > 0;
      if (!open) queries.used = 0;
      if (queries === this.#current) continue;
      (open ? this.#full : this.#free).push(queries);
    }
    return passes.length === 0 ? null : this.#checked(passes.sort((a, b) => a.order - b.order), done);
  }

  *#readSet(queries: SharedSet): DeviceWaits<(TimedPass & PassTimes)[]> {
    const slots = queries.slots.filter(({ submit, site }) => submit >= 0 && site >= 0);
    queries.slots = queries.slots.filter(({ submit, abandoned }) => submit < 0 && !abandoned);
    if (slots.length === 0) return [];
    this.#resolve(queries);
    yield native.mapAsync.call(this.#staging, GPUMapMode.READ);
    const values = this.#mapped();
    this.#observe(values);
    return slots.map((slot) => ({ ...slot, begin: values[slot.at]!, end: values[slot.at + 1]! }));
  }

  #checked(passes: readonly (TimedPass & PassTimes)[], done: number): ReadPasses {
    return {
      site: passes.map(({ site }) => site),
      submit: passes.map(({ submit }) => submit),
      between: passes.map(({ between }) => between),
      ...this.#checker.check(passes, done),
    };
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

  #create(): SharedSet | null {
    if (this.#sets >= MAX_SETS) return null;
    this.#sets++;
    const set = native.createQuerySet.call(this.#gpu, { label: "attach", type: "timestamp", count: QUERIES });
    return { set, used: 0, slots: [] };
  }
}
