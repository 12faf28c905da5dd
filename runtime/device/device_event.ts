/**
 * Events on a device, as CUDA has them: recorded without waiting, and compared later.
 *
 * @module
 */
import { DeviceError, InputError } from "../core/errors.ts";
import { Device } from "./device.ts";
import { type EventClock, eventClock, type Recording } from "./event_clock.ts";

/** Options of {@linkcode deviceEvent}. */
export interface DeviceEventOptions {
  /**
   * `host` uses the host's clock on a device without timestamps: each `record` waits until the device is done. Default: an
   * error.
   */
  readonly fallback?: "host";
}

/** Time of an event: a timestamp that the device writes, or `performance.now()`. */
type Moment = Recording | number;

let momentOf: (event: DeviceEvent) => Moment | null;
let deviceOf: (event: DeviceEvent) => Device;

/** A moment in the work of a device, created by {@linkcode deviceEvent}. */
export class DeviceEvent {
  /** Clock of the event's time; `host` only on a device without timestamps. */
  readonly clock: "device" | "host";
  readonly #device: Device;
  readonly #timestamps: EventClock | null;
  #moment: Moment | null = null;

  static {
    momentOf = (event) => event.#moment;
    deviceOf = (event) => event.#device;
  }

  /** Scripts call {@linkcode deviceEvent}. */
  constructor(device: Device) {
    this.#device = device;
    this.#timestamps = device.timestamps ? eventClock(device) : null;
    this.clock = device.timestamps ? "device" : "host";
  }

  /**
   * Records the moment at which the device has finished the work before it: everything submitted to the queue so far, or
   * what comes earlier in the encoder. Does not wait, and replaces an earlier record.
   *
   * @param target the device's queue, or a command encoder without an open pass, which the caller submits
   * @throws {InputError} for the queue of another device, and for an encoder on a device without timestamps
   */
  record(target: GPUCommandEncoder | GPUQueue): this {
    this.#check(target);
    if (this.#timestamps !== null) this.#moment = this.#timestamps.record(target);
    else {
      this.#device.wait();
      this.#moment = this.#device.waited;
    }
    return this;
  }

  /**
   * Returns true if the event's time is known, so that {@linkcode elapsed} does not wait for it. Never waits, and does not
   * ask the device either: Deno has no way to ask without waiting.
   */
  query(): boolean {
    return isKnown(this.#moment);
  }

  /**
   * Waits until the device has reached the event.
   *
   * @throws {InputError} if the event was not recorded, or in an encoder that was not submitted
   * @throws {DeviceError} if the device was lost or refused a command
   */
  async synchronize(): Promise<void> {
    await known("synchronize", this.#device, [this.#moment]);
  }

  #check(target: unknown): void {
    if (target === this.#device.gpu.queue) return;
    const has = (method: string) => typeof target === "object" && target !== null && method in target;
    if (has("submit")) throw new InputError("record: the queue belongs to another device than the event");
    if (!has("beginComputePass")) {
      const got = typeof target === "object" && target !== null ? target.constructor.name : String(target);
      throw new InputError(`record: expected the device's queue or a command encoder, got ${got}`);
    }
    if (this.#timestamps === null) {
      throw new InputError("record: a device without timestamps records events on its queue only; pass device.queue");
    }
  }
}

/**
 * Creates an event, as `torch.cuda.Event(enable_timing=True)` does. Events are recorded in the order of the device's work
 * and compared by {@linkcode elapsed}; nothing waits in between. A record costs an empty pass and the copy of 8 bytes.
 *
 * @example
 * ```ts
 * import { deviceEvent, elapsed } from "@tacho/tacho";
 *
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice({ requiredFeatures: ["timestamp-query"] });
 * const begin = deviceEvent(device).record(device.queue);
 * // ... device.queue.submit([...])
 * const end = deviceEvent(device).record(device.queue);
 * console.log(`${await elapsed(begin, end)} ms`);
 * device.destroy();
 * ```
 *
 * @param device device of the events, such as `trainer.device.gpu`
 * @throws {DeviceError} if the device has no timestamps, unless `fallback` is `host`
 */
export function deviceEvent(device: GPUDevice, options: DeviceEventOptions = {}): DeviceEvent {
  const { fallback } = options;
  if (fallback !== undefined && fallback !== "host") {
    throw new InputError(`deviceEvent: fallback is ${JSON.stringify(fallback)}, expected "host"`);
  }
  const own = Device.of(device);
  if (!own.timestamps && fallback === undefined) {
    throw new DeviceError(
      'deviceEvent: the device has no timestamps. Open it with requiredFeatures: ["timestamp-query"] if the adapter has ' +
        'this feature, or pass { fallback: "host" } to time on the host\'s clock, which waits in every record()',
    );
  }
  return new DeviceEvent(own);
}

/**
 * Returns the time from event `a` to event `b` in ms; negative if `b` came first. Waits for the device unless both times are
 * known. The first wait also reads the events recorded meanwhile, and calls of one turn of the event loop share it: to
 * compare many events, use one `Promise.all`, or compare them after the loop.
 *
 * @throws {InputError} if an event was not recorded, or in an encoder that was not submitted, or their devices differ
 * @throws {DeviceError} if the device was lost or refused a command
 */
export async function elapsed(a: DeviceEvent, b: DeviceEvent): Promise<number> {
  const device = deviceOf(a);
  if (device !== deviceOf(b)) throw new InputError("elapsed: the events belong to different devices");
  const [from, to] = await known("elapsed", device, [momentOf(a), momentOf(b)]);
  if (typeof from === "number" || typeof to === "number") return (to as number) - (from as number);
  return eventClock(device).toMs(to!.time! - from!.time!);
}

function isKnown(moment: Moment | null): moment is Moment {
  return typeof moment === "number" || (moment !== null && moment.time !== null);
}

/** Returns moments whose times are known, and reads them where they are not. */
async function known(caller: string, device: Device, moments: readonly (Moment | null)[]): Promise<readonly Moment[]> {
  if (moments.includes(null)) {
    throw new InputError(`${caller}: an event was not recorded; call record(device.queue) or record(encoder) first`);
  }
  if (!moments.every(isKnown)) await eventClock(device).read();
  if (!moments.every(isKnown)) {
    throw new InputError(
      `${caller}: the device has not written an event's time. Submit the encoder that it was recorded in first`,
    );
  }
  return moments;
}
