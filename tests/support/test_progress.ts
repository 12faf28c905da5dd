import { stripVTControlCharacters } from "node:util";

/** Line of `deno test` for a test, or a step, that has ended. */
const ENDED = /\.\.\. (ok|FAILED|ignored|cancelled)\b/;

/** Watches the output of `deno test` for progress. */
export class TestProgress {
  readonly #limit: number;
  /** Time without progress, in ms. */
  #still = 0;
  /** Begin of a line whose end has not arrived. */
  #line = "";

  /** @param limit time without an ended test after which the process counts as hung, in ms */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes the next piece of the output. */
  read(text: string): void {
    const lines = `${this.#line}${stripVTControlCharacters(text)}`.split("\n");
    this.#line = lines.pop()!;
    if (lines.some((line) => ENDED.test(line))) this.#still = 0;
  }

  /** Records that time has passed, in ms; returns true if the process counts as hung. */
  pass(ms: number): boolean {
    return (this.#still += ms) >= this.#limit;
  }
}
