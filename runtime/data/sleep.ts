const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for `ms` milliseconds. */
export function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(CELL, 0, 0, ms);
}

/** Delays of a data set in milliseconds, which simulate slower data. */
interface Delays {
  readonly delay?: { readonly [K in "read" | "decode" | "collate"]?: number | undefined } | undefined;
  readonly transforms: readonly { readonly delay?: number | undefined }[];
  /** Cache of samples, for which nothing before it is slept; null or undefined without one. */
  readonly cache?: { readonly after: number } | null | undefined;
}

/** Returns the milliseconds slept while making a batch, with a cache those of samples that are in it. */
export function sleepOfBatch({ delay, transforms, cache }: Delays, batchSize: number): number {
  const source = cache == null ? (delay?.read ?? 0) + (delay?.decode ?? 0) : 0;
  const each = source + transforms.slice(cache?.after ?? 0).reduce((sum, { delay = 0 }) => sum + delay, 0);
  return each * batchSize + (delay?.collate ?? 0);
}
