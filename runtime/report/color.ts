import { styleText } from "node:util";

/** What a piece of text means; the colour follows from it. */
export type Tone = "title" | "heading" | "quiet" | "good" | "bad" | "warning" | "input" | "host" | "device";

/** Colours `text`, or returns it as it is. */
export type Paint = (text: string, tone: Tone) => string;

const FORMAT = {
  title: "bold",
  heading: "bold",
  quiet: "dim",
  good: "green",
  bad: "red",
  warning: "yellow",
  input: "yellow",
  host: "magenta",
  device: "cyan",
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** A painter that colours, or one that leaves text alone. */
export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (text) => text;
  return (text, tone) => text === "" ? "" : styleText(FORMAT[tone], text, { validateStream: false });
}
