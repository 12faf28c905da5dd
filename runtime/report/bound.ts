import type { StepBound } from "../result/schema.ts";
import type { Tone } from "./color.ts";

const TONES: Readonly<Partial<Record<StepBound, Tone>>> = {
  input: "input",
  host: "host",
  device: "device",
  transfer: "warning",
};

/** Returns the tone of a bound; null for none. */
export function boundTone(bound: StepBound | null | undefined): Tone | null {
  return bound === null || bound === undefined ? null : TONES[bound] ?? null;
}
