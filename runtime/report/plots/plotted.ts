import type { Effect, Ladder } from "../../result/schema.ts";
import type { ComparedVariant } from "../matrix/column.ts";

/** The part of a variant that plots use. */
export interface PlottedVariant extends ComparedVariant {
  /** Bytes in use while each op of a step runs; empty without a profile. */
  readonly memoryOverStep: readonly number[];
}

/** The part of a result that plots use. */
export interface Plotted {
  readonly baseline: string;
  readonly variants: readonly PlottedVariant[];
  readonly effects: readonly Effect[];
  readonly ladder: Ladder | null;
}
