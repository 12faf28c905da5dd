import { LOSS_RING_WORDS } from "../../../ops/optimizer/step_state.ts";
import { recordCopy } from "../../record/copies.ts";
import type { Recorder } from "../../record/recorder.ts";

/** Records the readback of the losses of `count` steps, from `start` until now. */
export function recordLosses(recorder: Recorder | null, count: number, start: number): void {
  const end = performance.now();
  recorder?.span("main", "monitor loss", start, end);
  recordCopy(recorder, "losses", start, end, count * LOSS_RING_WORDS * 4);
}
