import type { DeviceRecorder } from "./device_recorder.ts";

/**
 * Records a wait for the device, and returns the promise that the program gets. Where the wait blocks, it has ended when the
 * call returns, and the runtime may sleep until its promise.
 *
 * @param wait calls the replaced function
 */
export function recordWait<T>(device: DeviceRecorder, wait: () => Promise<T>): Promise<T> {
  if (device.realm.waitsBlock) {
    const start = device.now();
    const promise = wait();
    const end = device.now();
    device.waited(start, end);
    return promise.then((value) => {
      device.slept(end, device.now());
      return value;
    });
  }
  const ended = device.waiting();
  const start = device.now();
  return wait().then(async (value) => {
    await ended(start);
    return value;
  });
}
