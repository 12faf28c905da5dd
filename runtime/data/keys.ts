import { hashText, pcg4d } from "../core/random.ts";

/**
 * Returns the first word of a random stream's key, made of the user's seed and the purpose of the draws. Streams with
 * different purposes are independent even if their other words agree.
 */
export function streamKey(seed: number, purpose: string): number {
  return pcg4d(seed >>> 0, Math.floor(seed / 4294967296) >>> 0, hashText(purpose), 0)[0];
}
