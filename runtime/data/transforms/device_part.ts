import type { Order } from "./transform.ts";

/** Words that say where a sample's pixels come from: top, left, step, y0, y1, x0, x1 of its window. */
export const WINDOW_WORDS = 7;

/** What the device does to a sample. */
export interface DevicePart {
  /** Words of 4 bytes of a sample: its bytes, four in a word, then its window. */
  readonly words: number;
  readonly channels: number;
  /** Of the bytes. */
  readonly order: Order;
  readonly sourceHeight: number;
  readonly sourceWidth: number;
  /** Of the result. */
  readonly height: number;
  readonly width: number;
  /** Entry 256 c + x is what becomes of byte x in channel c. */
  readonly table: readonly number[];
}
