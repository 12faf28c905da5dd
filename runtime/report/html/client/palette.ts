import type { MemoryClass } from "../../../analysis/memory_points.ts";
import { PHASES } from "../../../record/phases.ts";

/**
 * CSS variables of colours, one for each thing throughout the page.
 *
 * @module
 */

const PHASE_COLORS: Readonly<Record<string, string>> = {
  forward: "--forward",
  backward: "--backward",
  update: "--update",
};

/** Colours of further phases, by their index in the list. */
const FURTHER = ["--series-4", "--series-5", "--series-6", "--series-7"];

export function phaseColor(phase: string): string {
  const place = Math.max(0, PHASES.findIndex(({ name }) => name === phase));
  return PHASE_COLORS[phase] ?? FURTHER[place % FURTHER.length]!;
}

export const MEMORY_COLORS: Readonly<Record<MemoryClass, string>> = {
  parameters: "--series-1",
  gradients: "--series-2",
  optimizer: "--series-3",
  activations: "--series-4",
  workspace: "--series-5",
  feed: "--series-6",
};

/** Number of colours of variants; more variants share them. */
const VARIANTS = 8;

export function variantColor(index: number): string {
  return `--series-${index % VARIANTS + 1}`;
}

/** Returns true if a variant's line is dashed, which distinguishes variants of one colour. */
export function isDashed(index: number): boolean {
  return Math.floor(index / VARIANTS) % 2 === 1;
}
