import { hashText, pcg4d } from "../core/random.ts";

/**
 * The first word of a random stream's key: what the draws are for, and the user's seed. Streams of two purposes are
 * independent though their other words agree.
 */
export function streamKey(seed: number, purpose: string): number {
  return pcg4d(seed >>> 0, Math.floor(seed / 4294967296) >>> 0, hashText(purpose), 0)[0];
}
