import { type EventClock, eventClock } from "../../device/event_clock.ts";
import type { Device } from "../../device/device.ts";
import type { Recording } from "../../device/event_places.ts";
import type { DeviceInterval } from "./recording.ts";

/** A begin and an end on the device's queue that may not have been read. */
export interface MarkedInterval {
  readonly begin: Recording;
  readonly end: Recording;
}

/** Marks moments on a device's queue; none on a device without timestamps. */
export class DeviceMarks {
  readonly #device: Device;
  readonly #clock: EventClock;

  private constructor(device: Device) {
    this.#device = device;
    this.#clock = eventClock(device);
  }

  /** Returns null for a device without timestamps. */
  static of(device: Device): DeviceMarks | null {
    return device.timestamps ? new DeviceMarks(device) : null;
  }

  mark(): Recording {
    return this.#clock.record(this.#device.gpu.queue);
  }

  /** Reads all marks so far. Waits for the device. */
  read(): Promise<void> {
    return this.#clock.read();
  }
}

/** Returns the times of an interval that was read. */
export function intervalOf(marked: MarkedInterval | null): DeviceInterval | null {
  if (marked === null || marked.begin.time === null || marked.end.time === null) return null;
  return { begin: marked.begin.time, end: marked.end.time };
}
