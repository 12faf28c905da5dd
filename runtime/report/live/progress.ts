import type { RunEvent } from "../../result/run_event.ts";
import { LiveScreen, type ScreenSize } from "./screen.ts";
import { liveLine, liveLines, type LiveState } from "./view.ts";
import { printable } from "../plain_text.ts";
import { RemainingTime } from "./remaining_time.ts";

/** A frame is drawn at most this often, in ms, unless the variant or the stage changes. */
const FRAME_INTERVAL = 100;

/** Where lines cannot be rewritten, one is printed at most this often, in ms. */
const LINE_INTERVAL = 10_000;

/** Where progress goes: `live` is redrawn in place, `lines` follow each other, `first` is the first line alone. */
export type ProgressMode = "live" | "lines" | "first" | "none";

export interface ProgressOptions {
  /** Where to write, usually `Deno.stderr`. */
  stream: { writeSync(bytes: Uint8Array): number };
  mode: ProgressMode;
  /** Of the terminal; asked at every frame, since windows change. */
  size: () => ScreenSize;
  /** Whether the user asked for the end: somebody else has written to the terminal then. */
  interrupted?: () => boolean;
  /** Clock in ms, for tests. */
  now?: () => number;
}

export interface Progress {
  /** Writes a line that stays: the first sign of life. */
  begin(line: string): void;
  /** Draws an event of progress; others change nothing. */
  update(event: RunEvent): void;
  /** Takes away what is redrawn. */
  done(): void;
}

/**
 * Where progress is to go. Lines are rewritten only on a terminal that can move its cursor; without one they come
 * seldom, so that a log stays short; and nothing comes between lines where stdout is the data itself.
 */
export function progressMode(
  { isTerminal, dumb, quiet, dataOnStdout }: {
    isTerminal: boolean;
    /** Whether the terminal cannot move its cursor. */
    dumb: boolean;
    quiet: boolean;
    dataOnStdout: boolean;
  },
): ProgressMode {
  if (quiet) return "none";
  if (dataOnStdout) return "first";
  return isTerminal && !dumb ? "live" : "lines";
}

/** Progress of a run: a few lines that are rewritten in place while the run lasts, or one now and then. */
export function createProgress(
  { stream, mode, size, interrupted = () => false, now = () => performance.now() }: ProgressOptions,
): Progress {
  const encoder = new TextEncoder();
  const write = (text: string) => void stream.writeSync(encoder.encode(text));
  const started = now();
  const screen = new LiveScreen(write, size);
  const remaining = new RemainingTime();
  const measured: LiveState["measured"] = new Map();
  let shown = { at: mode === "live" ? -Infinity : started, topic: "" };
  let disturbed = false;
  return {
    begin: (line) => mode === "none" ? undefined : write(`${printable(line)}\n`),
    update(event) {
      if (event.type !== "progress") return;
      const at = now();
      if (event.soFar !== undefined && event.variant !== null) measured.set(event.variant, event.soFar);
      const left = remaining.at(event, at);
      if (mode !== "live" && mode !== "lines") return;
      const topic = `${event.variant} ${event.stage}`;
      const due = at - shown.at >= (mode === "live" ? FRAME_INTERVAL : LINE_INTERVAL);
      if (!due && (mode === "lines" || topic === shown.topic)) return;
      shown = { at, topic };
      const state: LiveState = { event, elapsed: at - started, left, measured };
      if (mode === "lines") return write(`${liveLine(state)}\n`);
      if (interrupted() && !disturbed) {
        disturbed = true;
        screen.leave();
      }
      screen.draw(liveLines(state, size()));
    },
    done: () => screen.clear(),
  };
}
