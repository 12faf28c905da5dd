import type { Order } from "./transform.ts";

/** Words of a sample's window: top, left, step, y0, y1, x0, x1. */
export const WINDOW_WORDS = 7;

/** Part of a chain that the device runs on each sample. */
export interface DevicePart {
  /** 4-byte words of a sample: its bytes, four to a word, then its window. */
  readonly words: number;
  readonly channels: number;
  /** Memory order of the bytes. */
  readonly order: Order;
  readonly sourceHeight: number;
  readonly sourceWidth: number;
  /** Height and width of the result. */
  readonly height: number;
  readonly width: number;
  /** Entry 256 c + x is the result of byte x in channel c. */
  readonly table: readonly number[];
}
