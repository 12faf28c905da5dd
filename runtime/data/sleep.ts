const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for `ms` milliseconds; the thread does nothing else meanwhile. */
export function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(CELL, 0, 0, ms);
}

/** Milliseconds that a scenario's data sleeps, to be as slow as other data would be. */
interface Delays {
  readonly delay?: { readonly [K in "read" | "decode" | "collate"]?: number | undefined } | undefined;
  readonly transforms: readonly { readonly delay?: number | undefined }[];
}

/** Returns the milliseconds that making a batch sleeps. */
export function sleepOfBatch({ delay, transforms }: Delays, batchSize: number): number {
  const each = (delay?.read ?? 0) + (delay?.decode ?? 0) + transforms.reduce((sum, { delay = 0 }) => sum + delay, 0);
  return each * batchSize + (delay?.collate ?? 0);
}
