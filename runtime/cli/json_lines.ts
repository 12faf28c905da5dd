import { printableJson } from "../core/printable.ts";
import { type Emit, EVENTS_VERSION, type RunEvent } from "../result/run_event.ts";
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

/** Writes the line with the version, and returns a listener that writes events as lines and limits the rate of progress. */
export function jsonLines(
  { write = writeOut, now = () => performance.now(), timelines = false }: JsonLinesOptions = {},
): Emit {
  let last = { at: -Infinity, topic: "" };
  const line = (event: RunEvent) => write(`${printableJson(event, 0)}\n`);
  line({ type: "stream", version: EVENTS_VERSION });
  return (event: RunEvent) => {
    // A sandboxed script emits its own line with the version
    if (event.type === "stream" || (event.type === "timeline" && !timelines)) return;
    if (event.type === "progress") {
      const { variant, stage, message, step, steps } = event;
      const topic = JSON.stringify([variant, stage, message]);
      const at = now();
      if (topic === last.topic && at - last.at < PROGRESS_INTERVAL && (step < steps || steps === 0)) return;
      last = { at, topic };
    }
    line(event);
  };
}
