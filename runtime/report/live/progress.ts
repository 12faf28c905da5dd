import type { RunEvent } from "../../result/run_event.ts";
import { LiveScreen, type ScreenSize } from "./screen.ts";
import { liveLine, liveLines, type LiveState } from "./view.ts";
import { printable } from "../plain_text.ts";
import { RemainingTime } from "./remaining_time.ts";

/** Shortest time between two frames, in ms, unless the variant or the stage changes. */
const FRAME_INTERVAL = 100;

/** Shortest time between two lines where lines cannot be redrawn, in ms. */
const LINE_INTERVAL = 10_000;

/** Form of progress: `live` is redrawn in place, `lines` are appended, `first` is only the first line. */
export type ProgressMode = "live" | "lines" | "first" | "none";

export interface ProgressOptions {
  /** Destination, usually `Deno.stderr`. */
  stream: { writeSync(bytes: Uint8Array): number };
  mode: ProgressMode;
  /** Returns the terminal's size; called for every frame, since windows are resized. */
  size: () => ScreenSize;
  /** Returns true once the user has interrupted the run, in which case other text was written to the terminal. */
  interrupted?: () => boolean;
  /** Clock in ms, for tests. */
  now?: () => number;
}

export interface Progress {
  /** Writes the first line, which stays. */
  begin(line: string): void;
  /** Draws a progress event; ignores other events. */
  update(event: RunEvent): void;
  /** Removes the redrawn lines. */
  done(): void;
}

/**
 * Chooses the form of progress. Lines are redrawn only on a terminal that can move its cursor. Elsewhere they are rare,
 * to keep logs short, and only the first is printed where stdout carries data.
 */
export function progressMode(
  { isTerminal, dumb, quiet, dataOnStdout }: {
    isTerminal: boolean;
    /** The terminal cannot move its cursor. */
    dumb: boolean;
    quiet: boolean;
    dataOnStdout: boolean;
  },
): ProgressMode {
  if (quiet) return "none";
  if (dataOnStdout) return "first";
  return isTerminal && !dumb ? "live" : "lines";
}

/** Creates the progress display of a run: a few lines that are redrawn in place, or single lines now and then. */
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
