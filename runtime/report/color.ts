import { styleText } from "node:util";

/** Meaning of a piece of text, which determines its colour. */
export type Tone = "title" | "heading" | "quiet" | "good" | "bad" | "warning" | "input" | "host" | "device";

/** Colours `text`, or returns it unchanged. */
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

/** Returns a painter that colours text, or one that returns it unchanged. */
export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (text) => text;
  return (text, tone) => text === "" ? "" : styleText(FORMAT[tone], text, { validateStream: false });
}
