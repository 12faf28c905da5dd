/** Memory of a plan, or the reason why the adapter cannot run it. */
export type Fit<T> = { readonly bytes: number; readonly value: T } | { readonly refused: string };

/** Largest batch that fits. */
export interface LargestBatch<T> {
  /** Samples; 0 if not even one fits. */
  readonly batch: number;
  /** Plan of this batch; null for 0. */
  readonly value: T | null;
  /** Bound on the batch: the memory, the adapter's limits, or the number of samples. */
  readonly bound: "memory" | "adapter" | "data";
  /** Reason why the next batch is refused by the adapter; null for other bounds. */
  readonly refused: string | null;
}

/** Plans after which a search halves the range instead of following a line. */
const MAX_LINES = 8;

/** Plans after which a search ends with the largest batch known to fit. */
const MAX_PLANS = 24;

/**
 * Finds the largest batch of at most `most` samples that needs at most `limit` bytes. Memory grows almost linearly with the
 * batch, so each guess follows the line through the two closest plans; a few plans are enough.
 *
 * @param fitOf plans a batch
 */
export function largestBatch<T>(
  fitOf: (batch: number) => Fit<T>,
  limit: number,
  { start, most }: { readonly start: number; readonly most: number },
): LargestBatch<T> {
  let fits: { batch: number; bytes: number; value: T } | null = null;
  let tooLarge: { batch: number; bytes: number | null; refused: string | null } | null = null;
  let guess = Math.min(Math.max(1, start), most);
  for (let plans = 0; plans < MAX_PLANS; plans++) {
    const found = fitOf(guess);
    if ("refused" in found) tooLarge = { batch: guess, bytes: null, refused: found.refused };
    else if (found.bytes > limit) tooLarge = { batch: guess, bytes: found.bytes, refused: null };
    else fits = { batch: guess, bytes: found.bytes, value: found.value };
    const [low, high] = [fits?.batch ?? 0, tooLarge?.batch ?? most + 1];
    if (high - low <= 1) break;
    const middle = Math.floor((low + high) / 2);
    guess = plans < MAX_LINES ? nextGuess(fits, tooLarge, limit, { low, high }) : middle;
  }
  return {
    batch: fits?.batch ?? 0,
    value: fits?.value ?? null,
    bound: tooLarge === null ? "data" : tooLarge.refused === null ? "memory" : "adapter",
    refused: tooLarge?.refused ?? null,
  };
}

function nextGuess(
  fits: { readonly batch: number; readonly bytes: number } | null,
  tooLarge: { readonly batch: number; readonly bytes: number | null } | null,
  limit: number,
  { low, high }: { readonly low: number; readonly high: number },
): number {
  const inside = (batch: number) => Math.min(high - 1, Math.max(low + 1, batch));
  if (fits === null || tooLarge === null) return inside(fits === null ? Math.floor(high / 2) : low * 2);
  if (tooLarge.bytes === null) return inside(Math.floor((low + high) / 2));
  const slope = (tooLarge.bytes - fits.bytes) / (tooLarge.batch - fits.batch);
  return inside(low + Math.floor((limit - fits.bytes) / slope));
}
