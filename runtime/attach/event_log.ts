import type { Kernel } from "./kernel_table.ts";
import type { Realm } from "./realm.ts";

/** Errors that are recorded in full. */
const MAX_ERRORS = 100;

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
  readonly #realm: Realm;
  #errors = 0;

  constructor(device: number, realm: Realm) {
    this.#device = device;
    this.#realm = realm;
  }

  module(label: string, hash: string, entryPoints: readonly string[]): void {
    this.#realm.sink.write({ kind: "module", device: this.#device, time: this.#realm.now(), label, hash, entryPoints });
  }

  /** @param cuts number of stretches that have ended */
  pipeline(
    type: "compute" | "render",
    kernel: Kernel | null,
    { start, callMs, readyMs, line }: MadePipeline,
    cuts: number,
  ): void {
    const facts = { type, async: readyMs !== null, callMs, readyMs, kernel: kernel?.index ?? null, line };
    this.#realm.sink.write({ kind: "pipeline", device: this.#device, time: start, cuts, ...facts });
  }

  error(type: string, message: string, scoped: boolean): void {
    if (this.#errors++ >= MAX_ERRORS) return;
    this.#realm.sink.write({ kind: "error", device: this.#device, time: this.#realm.now(), type, message, scoped });
  }

  lost(reason: string, message: string): void {
    this.#realm.sink.write({ kind: "lost", device: this.#device, time: this.#realm.now(), reason, message });
  }
}
