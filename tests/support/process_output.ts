import assert from "node:assert/strict";

/** Output stream of a child process, which arrives in pieces of any size. */
export class ProcessOutput {
  #text = "";
  readonly #pieces: ReadableStreamDefaultReader<string>;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#pieces = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Waits until the output contains `words`. */
  async until(words: string): Promise<void> {
    while (!this.#text.includes(words)) assert(await this.#more(), `The output has no "${words}": ${this.#text}`);
  }

  /** Waits for the end of the first line and returns the line. */
  async line(): Promise<string> {
    await this.until("\n");
    return this.#text.slice(0, this.#text.indexOf("\n"));
  }

  /** Waits for the end of the output and returns all of it. */
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
