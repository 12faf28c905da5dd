const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for `ms` milliseconds; the thread does nothing else meanwhile. */
export function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(CELL, 0, 0, ms);
}
