import { stripVTControlCharacters } from "node:util";
import type { Loss } from "../protocol.ts";

/** Longest line that is searched, in characters; a line that is longer is cut. */
const LONGEST = 64 * 1024;

/** A step that a line of output ends. */
export interface LineStep {
  /** Time at which the line was read, in ms. */
  readonly time: number;
  readonly loss: Loss | null;
}

/**
 * Finds the steps in the output of a program: each line with a match of the expression ends one. A group `loss` is the loss
 * of the step. Progress bars, which return to the start of the line, have several lines.
 */
export class StepLines {
  readonly #line: RegExp;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(line: string) {
    this.#line = new RegExp(line);
  }

  /** Adds output that was read at a time. Returns the steps that it ends. */
  add(bytes: Uint8Array, time: number): LineStep[] {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    const lines = this.#text.split(/[\r\n]/);
    this.#text = lines.pop()!.slice(-LONGEST);
    return lines.flatMap((line) => {
      const match = this.#line.exec(stripVTControlCharacters(line));
      return match === null ? [] : [{ time, loss: lossOf(match.groups?.["loss"]) }];
    });
  }
}

function lossOf(text: string | undefined): Loss | null {
  if (text === undefined || text.trim() === "") return null;
  const loss = Number(text.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity"));
  return Number.isFinite(loss) ? loss : String(loss) as Loss;
}
