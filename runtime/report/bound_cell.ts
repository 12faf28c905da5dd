import type { StepBound } from "../result/schema.ts";
import type { Tone } from "./color.ts";
import type { Cell } from "./table.ts";

const TONES: Readonly<Partial<Record<StepBound, Tone>>> = {
  input: "input",
  host: "host",
  device: "device",
  transfer: "warning",
};

/** What bounds a step, in its colour. */
export function boundCell(bound: StepBound): Cell {
  const tone = TONES[bound];
  return { text: bound, ...tone === undefined ? {} : { tone } };
}
