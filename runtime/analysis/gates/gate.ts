/**
 * What a gate is: a condition on a result that a run has to meet, such as `speedup.sink>=1.1`.
 *
 * @module
 */
import type { GateMetric } from "./gate_metrics.ts";

export const OPERATORS = [">=", "<=", "==", "!=", ">", "<"] as const;

export type Operator = typeof OPERATORS[number];

/** Stands for every variant. */
export const EVERY_VARIANT = "*";

/** What is wanted of a metric. */
export type Wanted =
  /** A number in the metric's unit; `unit` is there where the gate names a rate, such as `images/s`. */
  | { readonly kind: "number"; readonly value: number; readonly unit: string | null }
  /** One of these. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** `factor` times what a stored run measured. */
  | { readonly kind: "factor"; readonly run: string; readonly factor: number }
  /** What a stored run measured, and `by` more. */
  | { readonly kind: "shift"; readonly run: string; readonly by: number };

export interface Gate {
  /** As it was typed. */
  readonly text: string;
  readonly metric: GateMetric;
  /** A variant's name, or {@linkcode EVERY_VARIANT}. */
  readonly variant: string;
  readonly operator: Operator;
  readonly wanted: Wanted;
}

/** The stored run that a gate refers to: `last`, `baseline` or an id; null for none. */
export function runOf({ wanted }: Gate): string | null {
  return wanted.kind === "factor" || wanted.kind === "shift" ? wanted.run : null;
}
