import { textWidth } from "../text_width.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const UP = (rows: number) => rows > 0 ? `\x1b[${rows}A` : "";
const END_OF_LINE = "\x1b[K";
const END_OF_SCREEN = "\x1b[J";

/**
 * Lines at the bottom of a terminal that are redrawn in place. After each frame the cursor is visible and at the start
 * of the line below them, so the terminal stays in order even if the process is killed.
 */
export class LiveScreen {
  readonly #write: (text: string) => void;
  readonly #size: () => ScreenSize;
  /** Widths of the lines on the screen. */
  #shown: readonly number[] = [];

  constructor(write: (text: string) => void, size: () => ScreenSize) {
    this.#write = write;
    this.#size = size;
  }

  /** Replaces the lines on the screen; each must fit the width of the terminal. */
  draw(lines: readonly string[]): void {
    const body = lines.map((line) => `${line}${END_OF_LINE}\n`).join("");
    this.#write(`\r${UP(this.#rows())}${body}${END_OF_SCREEN}`);
    this.#shown = lines.map((line) => textWidth(line));
  }

  /** Keeps the lines on the screen; the next frame is drawn below them. */
  leave(): void {
    this.#shown = [];
  }

  /** Removes the lines. */
  clear(): void {
    if (this.#shown.length > 0) this.#write(`\r${UP(this.#rows())}${END_OF_SCREEN}`);
    this.#shown = [];
  }

  /** Returns the rows that the lines take now; a terminal that became narrower has wrapped them. */
  #rows(): number {
    const columns = Math.max(1, this.#size().columns);
    return this.#shown.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
  }
}
