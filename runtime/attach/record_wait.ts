import type { DeviceRecorder } from "./device_recorder.ts";

/**
 * Records a wait for the device, and returns the promise that the program gets. Where the wait blocks, it has ended by now,
 * and the runtime may sleep until its promise.
 *
 * @param start time before the call
 */
export function recordWait<T>(device: DeviceRecorder, start: number, promise: Promise<T>): Promise<T> {
  if (device.realm.waitsBlock) {
    const end = device.now();
    device.waited(start, end);
    return promise.then((value) => {
      device.slept(end, device.now());
      return value;
    });
  }
  return promise.then(async (value) => {
    await device.awaited(start, device.now());
    return value;
  });
}
