import type { DeviceClock } from "./device_clock.ts";
import { GrowingInterval } from "./growing_interval.ts";
import type { QuerySets, TimedPass } from "./query_sets.ts";
import type { ReadPasses } from "./read_passes.ts";
import type { Realm } from "./realm.ts";
import type { DeviceRecord } from "./records.ts";
import { TimestampPool } from "./timestamp_pool.ts";
import { TimestampRing } from "./timestamp_ring.ts";

/** Waiting queries after which they are read at the next occasion. */
const READ_AFTER = 1024;

/** Age of the clock's sample after which it is renewed although the device is busy, in ms. */
const OLD_SAMPLE = 2000;

/** Reads the timestamps of a device's passes, and records them. */
export abstract class PassReader {
  /** Time after which waiting queries are read regardless of their number. */
  protected readonly interval = new GrowingInterval();
  readonly #device: number;
  readonly #realm: Realm;
  #unslotted = 0;
  #gone = false;

  constructor(device: number, realm: Realm) {
    this.#device = device;
    this.#realm = realm;
  }

  /** Clock and query sets; null if nothing is timed. */
  protected abstract get pool(): { readonly clock: DeviceClock; readonly sets: QuerySets } | null;

  /** Prepares reading timestamps. Reading waits until this is done. */
  abstract prime(): Promise<void>;

  /**
   * Reads within the call, where waits block.
   *
   * @param done time at which the program's own wait returned
   */
  abstract read(done: number, isEnd: boolean): void;

  /** Begins a reading where waits do not block, if it is due. Returns the readings that are under way. */
  abstract begin(at: "submit" | "wait"): Promise<void> | null;

  /** Samples the clock where waits do not block, if it is due. */
  abstract sample(isIdle: boolean): Promise<void> | null;

  /** True if the device can time passes. */
  get times(): boolean {
    return this.pool !== null;
  }

  /** True after {@linkcode stop}, or after the device failed. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Dispatches that found all query sets in use. */
  get unslotted(): number {
    return this.#unslotted;
  }

  /** State of the device's clock. */
  get clock(): { nsPerTick: number; clockError: number | null; clockResets: number } {
    const axis = this.pool?.clock.axis;
    return { nsPerTick: axis?.nsPerTick ?? 1, clockError: axis?.error ?? null, clockResets: axis?.resets ?? 0 };
  }

  /** Returns queries for a pass; null if none are left. */
  slot(between: number): TimedPass | null {
    const slot = this.pool?.sets.slot(between) ?? null;
    if (slot === null) this.#unslotted++;
    return slot;
  }

  /** Reads nothing more. */
  stop(): void {
    this.#gone = true;
  }

  protected get waiting(): number {
    return this.#gone ? 0 : this.pool?.sets.waiting ?? 0;
  }

  protected write(passes: ReadPasses | null): void {
    if (passes !== null) this.#realm.sink.write({ kind: "passes", device: this.#device, ...passes });
  }
}

/** Reads where the program waits, within the call. */
class BlockingReader extends PassReader {
  protected readonly pool: TimestampPool | null;

  constructor(device: number, realm: Realm, pool: TimestampPool | null) {
    super(device, realm);
    this.pool = pool;
  }

  async prime(): Promise<void> {
    await this.pool?.prime();
  }

  read(done: number, isEnd: boolean): void {
    const due = isEnd || this.waiting >= READ_AFTER || this.interval.due(done);
    if (!due || this.waiting === 0) return;
    try {
      this.write(this.pool?.read(done) ?? null);
      this.interval.begin(done);
    } catch {
      this.stop(); // the buffer is not mapped; the device's promise of its loss follows
    }
  }

  begin(): null {
    return null;
  }

  sample(): null {
    return null;
  }
}

/** Reads beside the program, which goes on. */
class RingReader extends PassReader {
  protected readonly pool: TimestampRing;
  readonly #now: () => number;
  /** The latest reading, which ends after earlier ones; null once it has ended. */
  #underWay: Promise<void> | null = null;

  constructor(device: number, realm: Realm, pool: TimestampRing) {
    super(device, realm);
    this.#now = realm.now;
    this.pool = pool;
  }

  async prime(): Promise<void> {
    await this.pool.sampleClock();
  }

  read(): void {}

  begin(at: "submit" | "wait"): Promise<void> | null {
    if (this.waiting === 0) return this.#underWay;
    const start = this.#now();
    // At waits without delay, since the program may destroy its device after any of them
    if (at === "submit" && this.waiting < READ_AFTER && !this.interval.due(start)) return this.#underWay;
    const reading = this.#recorded(this.pool.read(), this.#underWay);
    this.#underWay = reading;
    void reading.then(() => {
      if (this.#underWay === reading) this.#underWay = null;
    });
    this.interval.begin(start);
    return reading;
  }

  /** Records passes once they have arrived, after those of earlier readings. */
  async #recorded(reading: Promise<ReadPasses | null>, before: Promise<void> | null): Promise<void> {
    try {
      const passes = await reading;
      await before;
      this.write(passes);
    } catch {
      this.stop(); // the device is lost or destroyed
    }
  }

  sample(isIdle: boolean): Promise<void> | null {
    const { clock } = this.pool;
    if (this.gone || !(isIdle ? clock.isDue : clock.age > OLD_SAMPLE)) return null;
    const sampled = this.pool.sampleClock().catch(() => this.stop());
    return isIdle ? sampled : null; // while the device is busy, the program does not wait for it
  }
}

/** Returns the reader of a device, whose passes are timed if `timing` is true and it has the feature. */
export function createPassReader(
  gpu: GPUDevice,
  queue: GPUQueue,
  { device, timestamps }: Pick<DeviceRecord, "device" | "timestamps">,
  timing: boolean,
  realm: Realm,
): PassReader {
  const times = timing && timestamps !== "none";
  if (times && !realm.waitsBlock) return new RingReader(device, realm, new TimestampRing(gpu, queue, realm.now));
  return new BlockingReader(device, realm, times ? new TimestampPool(gpu, queue, realm.now) : null);
}
