import { printableJson } from "../core/printable.ts";
import type { Emit, RunEvent } from "../result/run_event.ts";
import { writeOut } from "./terminal.ts";

/** Minimum time between progress events of one stage, in ms, since each line costs time between steps. */
const PROGRESS_INTERVAL = 100;

export interface JsonLinesOptions {
  /** Called with a line, including its line end; by default, writes it to stdout. */
  readonly write?: (line: string) => void;
  /** Clock in ms, for tests. */
  readonly now?: () => number;
  /** Writes timelines too. */
  readonly timelines?: boolean;
}

/** Returns a listener that writes events as lines of JSON, and limits the rate of progress events. */
export function jsonLines(
  { write = writeOut, now = () => performance.now(), timelines = false }: JsonLinesOptions = {},
): Emit {
  let last = { at: -Infinity, topic: "" };
  return (event: RunEvent) => {
    if (event.type === "timeline" && !timelines) return;
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
