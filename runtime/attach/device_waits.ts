/**
 * Work that waits for the device now and then: it yields the promise of each wait. Where waits block in their calls, the
 * promise needs no awaiting.
 */
export type DeviceWaits<T> = Generator<Promise<unknown>, T>;

/** Does such work at once, where waits block. */
export function doBlocking<T>(work: DeviceWaits<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    value.catch(() => {}); // a lost device
  }
}

/** Does such work where waits do not block. */
export async function doAwaiting<T>(work: DeviceWaits<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await value;
  }
}
