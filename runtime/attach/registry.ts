import { DeviceRecorder } from "./device_recorder.ts";
import type { Realm, Recording } from "./realm.ts";
import type { DeviceRecord, MarkRecord } from "./records.ts";
import { isStepName } from "./settings.ts";
import { createTag } from "./tag.ts";

/** Marks that are recorded. */
const MAX_MARKS = 100_000;

/** The devices that are recorded. */
export class Registry {
  readonly #devices = new Set<DeviceRecorder>();
  readonly #byObject = createTag<DeviceRecorder | null>();
  #marks = 0;

  /** Begins to record a device. */
  add(
    gpu: GPUDevice,
    queue: GPUQueue,
    facts: Pick<DeviceRecord, "label" | "adapter" | "timestamps">,
    recording: Recording,
  ): DeviceRecorder {
    const device = new DeviceRecorder(gpu, queue, { ...facts, device: this.#devices.size }, recording);
    this.#devices.add(device);
    this.#byObject.set(gpu, device);
    this.#byObject.set(queue, device);
    return device;
  }

  /** Stops recording a device. */
  remove(gpu: GPUDevice, device: DeviceRecorder): void {
    device.stop();
    this.#devices.delete(device);
    this.#byObject.set(gpu, null);
    this.#byObject.set(gpu.queue, null);
  }

  /** Returns the recorder of a device or its queue. */
  of(object: object): DeviceRecorder | undefined {
    return this.#byObject.get(object) ?? undefined;
  }

  /** Number of devices that are recorded. */
  get size(): number {
    return this.#devices.size;
  }

  /** Returns the recorder of a buffer that was created before recording began, if only one device is recorded. */
  get only(): DeviceRecorder | undefined {
    return this.size === 1 ? this.#devices.values().next().value : undefined;
  }

  /** Records a performance mark or measure, which ends a step if its name says so. */
  mark(mark: Omit<MarkRecord, "kind">): void {
    if (this.#marks++ < MAX_MARKS) {
      for (const sink of new Set([...this.#devices].map(({ realm }) => realm.sink))) {
        sink.write({ kind: "mark", ...mark });
      }
    }
    if (isStepName(mark.name)) { for (const device of this.#devices) device.mark(mark.name); }
  }

  /** Records everything up to now. Blocks until the devices are done, where waits block. */
  finish(): void {
    for (const device of this.#devices) device.finish();
  }

  /** Reads the timestamps that are left, where waits do not block. */
  async readRest(): Promise<void> {
    await Promise.all([...this.#devices].map((device) => device.readRest()));
  }

  /** Records everything up to now, and the end. */
  end({ sink, now }: Pick<Realm, "sink" | "now">): void {
    this.finish();
    sink.write({ kind: "end", time: now() });
    sink.flush(true);
  }
}
