import type { AttachRecord, RecordSink } from "./records.ts";

/** Characters after which records are written. */
const FULL = 64 * 1024;

/** Time after which records are written regardless of their number, in ms. */
const INTERVAL = 100;

/** Writes at the beginning that do not wait for it, since some workers live for a moment. */
const PROMPT = 100;

/** Writes records to a file, one JSON object a line, so that a killed program leaves all but the last of them. */
export class LineSink implements RecordSink {
  readonly #write: (bytes: Uint8Array) => number;
  readonly #encoder = new TextEncoder();
  readonly #now: () => number;
  #pending = "";
  #written: number;
  #writes = 0;
  #failed = false;

  /** @param write appends bytes to the file, and returns the number of those written */
  constructor(write: (bytes: Uint8Array) => number, now: () => number) {
    this.#write = write;
    this.#now = now;
    this.#written = now();
  }

  write(record: AttachRecord): void {
    if (this.#failed) return;
    this.#pending += `${JSON.stringify(record)}\n`;
    if (this.#pending.length > FULL) this.#save();
  }

  flush(isEnd: boolean): void {
    if (this.#pending === "" || this.#failed) return;
    if (isEnd || this.#writes < PROMPT || this.#now() - this.#written > INTERVAL) this.#save();
  }

  #save(): void {
    const bytes = this.#encoder.encode(this.#pending);
    this.#pending = "";
    this.#writes++;
    this.#written = this.#now();
    try {
      for (let at = 0; at < bytes.length;) at += this.#write(bytes.subarray(at));
    } catch {
      this.#failed = true; // the disk is full: the program goes on, and its recording ends here
    }
  }
}
