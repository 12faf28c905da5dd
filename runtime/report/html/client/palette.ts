import type { MemoryClass } from "../../../analysis/memory_peak.ts";

/**
 * CSS variables of colours, the same for a thing wherever it stands.
 *
 * @module
 */

export const PHASE_COLORS: Readonly<Record<string, string>> = {
  forward: "--forward",
  backward: "--backward",
  update: "--update",
};

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
