import { escapeHtml } from "../../report/html/escape.ts";
import { liveLines } from "../../report/live/view.ts";
import { RemainingTime } from "../../report/live/remaining_time.ts";
import type { RunEvent, SoFar } from "../../result/run_event.ts";
import type { Kernel } from "./kernel.ts";

/** Shortest time between two updates, in ms. */
const INTERVAL = 200;
/** Size of the display; a notebook has no fixed columns. */
const SIZE = { columns: 100, rows: 24 } as const;

/** Shows the progress of a measurement below its cell, in one display that is updated. */
export class NotebookProgress {
  readonly #kernel: Kernel;
  readonly #id = `tacho-${crypto.randomUUID()}`;
  readonly #started = performance.now();
  readonly #remaining = new RemainingTime();
  readonly #measured = new Map<string, SoFar>();
  #shown = -Infinity;
  #type: "display_data" | "update_display_data" = "display_data";
  #sent: Promise<void> = Promise.resolve();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Shows a progress event; ignores others, and those that follow too soon. */
  update(event: RunEvent): void {
    if (event.type !== "progress") return;
    const now = performance.now();
    if (event.soFar !== undefined && event.variant !== null) this.#measured.set(event.variant, event.soFar);
    const left = this.#remaining.at(event, now);
    if (now - this.#shown < INTERVAL) return;
    this.#shown = now;
    this.#send(liveLines({ event, elapsed: now - this.#started, left, measured: this.#measured }, SIZE));
  }

  /** Removes the text, and resolves when the update has been sent to the frontends. */
  async done(): Promise<void> {
    if (this.#type === "update_display_data") this.#send([]);
    await this.#sent;
  }

  #send(lines: readonly string[]): void {
    const text = lines.join("\n");
    const html = lines.length === 0 ? "" : `<pre>${lines.map(escapeHtml).join("\n")}</pre>`;
    const content = {
      data: { "text/plain": text, "text/html": html },
      metadata: {},
      transient: { display_id: this.#id },
    };
    const type = this.#type;
    this.#type = "update_display_data";
    this.#sent = this.#sent.then(() => this.#kernel.broadcast(type, content)).catch(() => {}); // progress is not the result
  }
}
