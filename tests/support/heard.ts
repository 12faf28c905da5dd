import assert from "node:assert/strict";

/** What a process says, which comes in pieces of any size. */
export class Heard {
  #text = "";
  readonly #pieces: ReadableStreamDefaultReader<string>;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#pieces = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Returns when it has said so. */
  async until(words: string): Promise<void> {
    while (!this.#text.includes(words)) assert(await this.#more(), `It ended without "${words}": ${this.#text}`);
  }

  /** All that it has said, at its end. */
  async all(): Promise<string> {
    while (await this.#more());
    return this.#text;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#pieces.read();
    this.#text += value ?? "";
    return !done;
  }
}
