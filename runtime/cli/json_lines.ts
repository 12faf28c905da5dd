import { printableJson } from "../core/printable.ts";
import type { Emit, RunEvent } from "../result/run_event.ts";
import { writeOut } from "./terminal.ts";

/** Minimum time between progress events of one stage, in ms, since each line costs time between steps. */
const PROGRESS_INTERVAL = 100;

/**
 * Returns a listener that writes events as lines of JSON. Omits timelines, and limits the rate of progress events.
 *
 * @param write called with a line, including its line end
 * @param now clock in ms, for tests
 */
export function jsonLines(write: (line: string) => void = writeOut, now = () => performance.now()): Emit {
  let last = { at: -Infinity, topic: "" };
  return (event: RunEvent) => {
    if (event.type === "timeline") return;
    if (event.type === "progress") {
      const { variant, stage, message, step, steps } = event;
      const topic = JSON.stringify([variant, stage, message]);
      const at = now();
      if (topic === last.topic && at - last.at < PROGRESS_INTERVAL && (step < steps || steps === 0)) return;
      last = { at, topic };
    }
    write(`${printableJson(event, 0)}\n`);
  };
}
