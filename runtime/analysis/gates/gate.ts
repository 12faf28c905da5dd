/**
 * Gates: conditions that a result has to meet, such as `speedup.sink>=1.1`.
 *
 * @module
 */
import type { GateMetric } from "./gate_metrics.ts";

export const OPERATORS = [">=", "<=", "==", "!=", ">", "<"] as const;

export type Operator = typeof OPERATORS[number];

/** Selects every variant. */
export const EVERY_VARIANT = "*";

/** Right side of a gate. */
export type Wanted =
  /** A number in the metric's unit; `unit` is set if the gate names a rate, such as `images/s`. */
  | { readonly kind: "number"; readonly value: number; readonly unit: string | null }
  /** One of these words. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** `factor` times the value of a stored run. */
  | { readonly kind: "factor"; readonly run: string; readonly factor: number }
  /** The value of a stored run plus `by`. */
  | { readonly kind: "shift"; readonly run: string; readonly by: number };

/** A parsed gate. */
export interface Gate {
  /** Text as typed. */
  readonly text: string;
  readonly metric: GateMetric;
  /** Name of a variant, or {@linkcode EVERY_VARIANT}. */
  readonly variant: string;
  readonly operator: Operator;
  readonly wanted: Wanted;
}

/** Returns the stored run that a gate refers to: `last`, `baseline` or an ID; null for an absolute gate. */
export function runOf({ wanted }: Gate): string | null {
  return wanted.kind === "factor" || wanted.kind === "shift" ? wanted.run : null;
}
