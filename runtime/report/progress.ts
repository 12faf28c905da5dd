import stringWidth from "string-width";
import type { ProgressEvent, ProgressStage } from "../core/progress.ts";
import { formatClock } from "./format.ts";

/** A line is rewritten at most this often, in ms, unless the variant or the stage changes. */
const INTERVAL = 100;

/** Less than this part of the run says nothing about the rest of it. */
const LEAST_FRACTION = 0.02;

const CLEAR_LINE = "\r\x1b[2K";

const WORDS: Readonly<Record<ProgressStage, string>> = {
  prepare: "preparing",
  tune: "timing kernels",
  compile: "compiling",
  warmup: "warming up",
  measure: "measuring",
  profile: "profiling",
  evaluate: "evaluating",
  data: "preparing data",
};

export interface ProgressOptions {
  /** Where to write, usually `Deno.stderr`. */
  stream: { writeSync(bytes: Uint8Array): number };
  isTerminal: boolean;
  /** Width of the terminal; asked at every line, since windows change. */
  columns: () => number;
  /** Clock in ms, for tests. */
  now?: () => number;
}

export interface Progress {
  /** Writes a line that stays, terminal or not: the first sign of life. */
  begin(line: string): void;
  /** Rewrites the line; writes nothing where there is no terminal. */
  update(event: ProgressEvent): void;
  /** Clears the line. */
  done(): void;
}

/** Progress of a run: one line that is rewritten in place while the run lasts. */
export function createProgress(
  { stream, isTerminal, columns, now = () => performance.now() }: ProgressOptions,
): Progress {
  const started = now();
  const encoder = new TextEncoder();
  const write = (text: string) => void stream.writeSync(encoder.encode(text));
  let shown: { at: number; topic: string } | null = null;
  return {
    begin: (line) => write(`${line}\n`),
    update(event) {
      if (!isTerminal) return;
      const at = now();
      const topic = `${event.variant} ${event.stage}`;
      if (shown !== null && shown.topic === topic && at - shown.at < INTERVAL) return;
      shown = { at, topic };
      write(CLEAR_LINE + fit(describe(event, at - started), columns() - 1));
    },
    done() {
      if (shown !== null) write(CLEAR_LINE);
      shown = null;
    },
  };
}

/** `sink · measuring round 2/3 · step 4/10 · 0:12, about 0:20 left`. */
export function describe({ variant, stage, step, steps, message, fraction }: ProgressEvent, elapsed: number): string {
  const left = fraction !== null && fraction >= LEAST_FRACTION ? elapsed / fraction - elapsed : null;
  return [
    variant,
    message === undefined ? WORDS[stage] : `${WORDS[stage]} ${message}`,
    steps > 0 ? `step ${step}/${steps}` : null,
    left === null ? formatClock(elapsed) : `${formatClock(elapsed)}, about ${formatClock(left)} left`,
  ].filter((part) => part !== null).join(" · ");
}

function fit(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
