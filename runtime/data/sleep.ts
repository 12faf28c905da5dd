const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for `ms` milliseconds. */
export function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(CELL, 0, 0, ms);
}

/** Delays of a data set in milliseconds, which simulate slower data. */
interface Delays {
  readonly delay?: { readonly [K in "read" | "decode" | "collate"]?: number | undefined } | undefined;
  readonly transforms: readonly { readonly delay?: number | undefined }[];
}

/** Returns the milliseconds slept while making a batch. */
export function sleepOfBatch({ delay, transforms }: Delays, batchSize: number): number {
  const each = (delay?.read ?? 0) + (delay?.decode ?? 0) + transforms.reduce((sum, { delay = 0 }) => sum + delay, 0);
  return each * batchSize + (delay?.collate ?? 0);
}
