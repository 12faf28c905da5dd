import type { ProgressEvent, ProgressStage, SoFar } from "../../result/run_event.ts";
import { formatClock, formatNumber, formatRatio } from "../format.ts";
import type { ScreenSize } from "./screen.ts";
import { clip, nameInProse, nameText, printable } from "../plain_text.ts";
import { textWidth } from "../text_width.ts";

/** State of a run in progress. */
export interface LiveState {
  readonly event: ProgressEvent;
  /** Time since the start, in ms. */
  readonly elapsed: number;
  /** Estimated time to the end, in ms; null while unknown. */
  readonly left: number | null;
  /** Measurements of each variant so far, in the order of their first measurement. */
  readonly measured: Map<string, SoFar>;
}

const WORDS: Readonly<Record<ProgressStage, string>> = {
  prepare: "preparing",
  tune: "timing kernels",
  compile: "compiling",
  warmup: "warming up",
  measure: "measuring",
  profile: "profiling",
  peaks: "measuring the adapter's peaks",
  evaluate: "evaluating",
  seeds: "training with other seeds",
  target: "training to the target",
  data: "preparing data",
  report: "writing the report",
};

/** Words for what a stage counts, if not steps. */
const COUNTED: Readonly<Partial<Record<ProgressStage, string>>> = {
  compile: "kernel",
  tune: "kernel",
  peaks: "kernel",
};

/** Largest number of variants that have a line each. */
const MAX_VARIANTS = 6;

const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;
const WIDEST_NAME = 24;

/** Renders the state as lines of a terminal: current stage, progress bar, and measurements so far. */
export function liveLines(state: LiveState, { columns, rows }: ScreenSize): string[] {
  // Some terminals wrap a line that reaches the edge
  const width = Math.max(1, columns - 1);
  const lines = [doing(state.event), progress(state, width), ...standings(state)];
  // The cursor is below the lines, and lines that scrolled off the screen cannot be redrawn
  return lines.slice(0, Math.max(1, rows - 1)).map((line) => clip(printable(line), width));
}

/** Renders the state in one line, for terminals where lines are not redrawn. */
export function liveLine({ event, elapsed, left, measured }: LiveState): string {
  const soFar = event.variant === null ? undefined : measured.get(event.variant);
  const parts = [
    doing(event),
    soFar === undefined ? null : speed(soFar),
    event.fraction === null ? null : `${Math.floor(event.fraction * 100)} %`,
    time(elapsed, left),
  ];
  return printable(parts.filter((part) => part !== null).join(" · "));
}

/** Renders the current stage: `sink · measuring round 2/3 · step 4/10`. */
function doing({ variant, stage, step, steps, message }: ProgressEvent): string {
  return [
    variant === null ? null : nameInProse(variant),
    message === undefined ? WORDS[stage] : `${WORDS[stage]} ${message}`,
    steps > 0 ? `${COUNTED[stage] ?? "step"} ${step}/${steps}` : null,
  ].filter((part) => part !== null).join(" · ");
}

/** Renders the progress bar: `━━━━━━━━────────  47 %  0:12, about 0:14 left`. */
function progress({ event: { fraction }, elapsed, left }: LiveState, width: number): string {
  if (fraction === null) return time(elapsed, left);
  const part = Math.min(1, Math.max(0, fraction));
  const words = `${String(Math.floor(part * 100)).padStart(3)} %  ${time(elapsed, left)}`;
  const room = Math.min(WIDEST_BAR, width - textWidth(words) - 2);
  if (room < NARROWEST_BAR) return words.trimStart();
  const full = Math.floor(part * room);
  return `${"━".repeat(full)}${"─".repeat(room - full)} ${words}`;
}

function time(elapsed: number, left: number | null): string {
  return left === null ? formatClock(elapsed) : `${formatClock(elapsed)}, about ${formatClock(left)} left`;
}

/** Renders a line for each measured variant; of many, the baseline, the current and the fastest ones. */
function standings({ event, measured }: LiveState): string[] {
  const all = [...measured];
  const ranked = new Set([
    all.find(([, { ratio }]) => ratio === null)?.[0],
    event.variant,
    ...all.toSorted(([, a], [, b]) => (b.ratio ?? 0) - (a.ratio ?? 0)).map(([name]) => name),
  ].filter((name) => name !== undefined && name !== null && measured.has(name)));
  const first = new Set([...ranked].slice(0, MAX_VARIANTS));
  const shown = all.filter(([name]) => first.has(name));
  const names = shown.map(([name]) => nameText(name, WIDEST_NAME));
  const widest = Math.max(0, ...names.map((name) => textWidth(name)));
  const lines = shown.map(([name, soFar], i) => {
    const mark = name === event.variant ? ">" : " ";
    return `${mark} ${names[i]}${" ".repeat(widest - textWidth(names[i]!))}  ${speed(soFar)}`;
  });
  const hidden = all.length - shown.length;
  return hidden === 0 ? lines : [...lines, `  and ${hidden} more`];
}

/** Renders the measurements of a variant: `145 images/s  ×1.04  device`. */
function speed({ ips, unit, ratio, bound }: SoFar): string {
  return [
    `${formatNumber(ips)} ${unit}`,
    ratio === null ? null : formatRatio(ratio),
    bound,
  ].filter((part) => part !== null).join("  ");
}
