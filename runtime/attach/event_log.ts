import type { Kernel } from "./kernel_table.ts";
import { now } from "./native.ts";
import type { RecordSink } from "./records.ts";

/** Errors that are recorded in full. */
const MOST_ERRORS = 100;

/** A pipeline that the program has made. */
export interface MadePipeline {
  readonly start: number;
  readonly callMs: number;
  readonly readyMs: number | null;
  readonly line: string | null;
}

/** Records the events of a device that belong to no step. */
export class EventLog {
  readonly #device: number;
  readonly #sink: RecordSink;
  #errors = 0;

  constructor(device: number, sink: RecordSink) {
    this.#device = device;
    this.#sink = sink;
  }

  module(label: string, hash: string, entryPoints: readonly string[]): void {
    this.#sink.write({ kind: "module", device: this.#device, time: now(), label, hash, entryPoints });
  }

  /** @param cuts number of stretches that have ended */
  pipeline(
    type: "compute" | "render",
    kernel: Kernel | null,
    { start, callMs, readyMs, line }: MadePipeline,
    cuts: number,
  ): void {
    const facts = { type, async: readyMs !== null, callMs, readyMs, kernel: kernel?.index ?? null, line };
    this.#sink.write({ kind: "pipeline", device: this.#device, time: start, cuts, ...facts });
  }

  error(type: string, message: string, scoped: boolean): void {
    if (this.#errors++ >= MOST_ERRORS) return;
    this.#sink.write({ kind: "error", device: this.#device, time: now(), type, message, scoped });
  }

  lost(reason: string, message: string): void {
    this.#sink.write({ kind: "lost", device: this.#device, time: now(), reason, message });
  }
}
