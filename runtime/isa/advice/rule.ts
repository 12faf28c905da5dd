import type { Figures } from "../figures.ts";
import type { Gpu } from "../gpus.ts";
import type { CodeLine } from "../wgsl/lines.ts";

/** A change that the figures of a kernel suggest. */
export interface Advice {
  readonly rule: string;
  /** Line of the WGSL, from 1, as far as the text tells; null if none stands out. */
  readonly line: number | null;
  /** Finding with its figures. */
  readonly finding: string;
  readonly change: string;
  /** Part of the hottest loop, or of the waves, that it costs by the figures: 0 to 1. */
  readonly share: number;
}

/** What a rule sees. */
export interface AdviceContext {
  readonly figures: Figures;
  readonly gpu: Gpu;
  readonly lines: readonly CodeLine[];
}

/** Returns advice without the rule's name; null if the figures give no reason. */
export type Rule = (context: AdviceContext) => Omit<Advice, "rule"> | null;

/** Formats a share in per cent. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
