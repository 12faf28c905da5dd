import { GrowingInterval } from "./growing_interval.ts";
import type { Realm } from "./realm.ts";
import type { DeviceRecord } from "./records.ts";
import { type ReadPasses, type TimedPass, TimestampPool } from "./timestamp_pool.ts";

/** Waiting queries after which they are read at the program's next wait. */
const READ_AFTER = 1024;

/** Time between readings where waits do not block, as a multiple of the time of the last one. */
const READ_DISTANCE = 10;

/** Reads the timestamps of a device's passes at waits of the program, and records them. */
export class PassReader {
  readonly #device: number;
  readonly #realm: Realm;
  /** Timestamps of the passes; null if nothing is timed. */
  readonly #pool: TimestampPool | null;
  /** Time after which waiting queries are read regardless of their number. */
  readonly #interval = new GrowingInterval();
  #readTime = 0;
  #readMs = 0;
  #unslotted = 0;
  #gone = false;

  constructor(device: number, realm: Realm, pool: TimestampPool | null) {
    this.#device = device;
    this.#realm = realm;
    this.#pool = pool;
  }

  /** True if the device can time passes. */
  get times(): boolean {
    return this.#pool !== null;
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
    const axis = this.#pool?.clock.axis;
    return { nsPerTick: axis?.nsPerTick ?? 1, clockError: axis?.error ?? null, clockResets: axis?.resets ?? 0 };
  }

  /** Prepares reading timestamps. Reading waits until this is done. */
  async prime(): Promise<void> {
    await this.#pool?.prime();
  }

  /** Returns queries for a pass; null if none are left. */
  slot(between: number): TimedPass | null {
    const slot = this.#pool?.slot(between) ?? null;
    if (slot === null) this.#unslotted++;
    return slot;
  }

  /** Reads nothing more. */
  stop(): void {
    this.#gone = true;
  }

  /**
   * Reads within the call, where waits block.
   *
   * @param done time at which the program's own wait returned
   */
  read(done: number, isEnd: boolean): void {
    const due = isEnd || this.#waiting >= READ_AFTER || this.#interval.due(done);
    if (!due || !this.#readable) return;
    try {
      this.#write(this.#pool?.read(done) ?? null, done);
    } catch {
      this.#gone = true; // the buffer is not mapped; the device's promise of its loss follows
    }
  }

  /** Reads as often as takes little time, since nothing can be read at the program's sudden end. */
  async readLater(done: number, isEnd: boolean): Promise<void> {
    const due = isEnd || done - this.#readTime > READ_DISTANCE * this.#readMs;
    if (!due || !this.#readable) return;
    try {
      this.#write(await this.#pool?.readLater(done) ?? null, done);
      this.#readMs = this.#realm.now() - done;
    } catch {
      this.#gone = true;
    }
  }

  get #waiting(): number {
    return this.#pool?.waiting ?? 0;
  }

  get #readable(): boolean {
    return this.#waiting > 0 && !this.#gone;
  }

  #write(passes: ReadPasses | null, done: number): void {
    if (passes !== null) this.#realm.sink.write({ kind: "passes", device: this.#device, ...passes });
    this.#readTime = done;
    this.#interval.begin(done);
  }
}

/** Returns the reader of a device, whose passes are timed if `timing` is true and it has the feature. */
export function createPassReader(
  gpu: GPUDevice,
  queue: GPUQueue,
  facts: Pick<DeviceRecord, "device" | "timestamps">,
  timing: boolean,
  realm: Realm,
): PassReader {
  const times = timing && facts.timestamps !== "none";
  return new PassReader(facts.device, realm, times ? new TimestampPool(gpu, queue, realm) : null);
}
