import stringWidth from "string-width";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const UP = (rows: number) => rows > 0 ? `\x1b[${rows}A` : "";
const END_OF_LINE = "\x1b[K";
const END_OF_SCREEN = "\x1b[J";

/**
 * Lines at the bottom of a terminal that are drawn over each other. The cursor is left at the start of the line below
 * them after each frame, visible as ever: a process that ends at any moment leaves a terminal in order.
 */
export class LiveScreen {
  readonly #write: (text: string) => void;
  readonly #size: () => ScreenSize;
  /** Widths of the lines that are shown. */
  #shown: readonly number[] = [];

  constructor(write: (text: string) => void, size: () => ScreenSize) {
    this.#write = write;
    this.#size = size;
  }

  /** Draws `lines` in place of those that are shown; each must fit its line. */
  draw(lines: readonly string[]): void {
    const body = lines.map((line) => `${line}${END_OF_LINE}\n`).join("");
    this.#write(`\r${UP(this.#rows())}${body}${END_OF_SCREEN}`);
    this.#shown = lines.map((line) => stringWidth(line));
  }

  /** Leaves the lines that are shown where they are; the next are drawn below. */
  leave(): void {
    this.#shown = [];
  }

  /** Takes the lines away. */
  clear(): void {
    if (this.#shown.length > 0) this.#write(`\r${UP(this.#rows())}${END_OF_SCREEN}`);
    this.#shown = [];
  }

  /** Rows that the lines take by now: a terminal that became narrower has broken them. */
  #rows(): number {
    const columns = Math.max(1, this.#size().columns);
    return this.#shown.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
  }
}
