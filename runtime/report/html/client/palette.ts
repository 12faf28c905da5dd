import type { MemoryClass } from "../../../analysis/memory_peak.ts";
import { PHASES } from "../../../record/phases.ts";

/**
 * CSS variables of colours, the same for a thing wherever it stands.
 *
 * @module
 */

const PHASE_COLORS: Readonly<Record<string, string>> = {
  forward: "--forward",
  backward: "--backward",
  update: "--update",
};

/** Colours of further phases, by their place in the list. */
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

/** Colours of variants; more variants than these share them. */
const VARIANTS = 8;

export function variantColor(index: number): string {
  return `--series-${index % VARIANTS + 1}`;
}

/** Variants that share a colour differ in their dashes. */
export function isDashed(index: number): boolean {
  return Math.floor(index / VARIANTS) % 2 === 1;
}
