import type { Result } from "../result/schema.ts";

/** Options of `checkGates`. */
export interface GateCheckOptions {
  /** Treatment of gates whose interval includes the limit. Default `fail`. */
  readonly undecided?: "pass" | "fail" | undefined;
  /** Results that gates refer to by name: `{ before }` for `ips.sink>=-2%@before`. */
  readonly results?: Readonly<Record<string, Result>> | undefined;
  /** Store for runs that gates name, such as `@last`: `true` for the default folder, or the path of another one. */
  readonly store?: boolean | string | undefined;
}

/** Outcome of a gate for a variant. */
export interface CheckedGate {
  /** The gate as written. */
  readonly gate: string;
  readonly variant: string;
  /** `undecided`: the interval includes the limit; `missing`: the figure or its reference is missing. */
  readonly state: "pass" | "fail" | "undecided" | "missing";
  /** Measured value in `unit`, or a word such as a verdict; null if it was not measured. */
  readonly value: number | string | null;
  /** Unit of the value, such as `ms` or `images/s`; empty without one. */
  readonly unit: string;
  /** Figure that was compared: the value, or its ratio to or difference from the reference; null if none could be. */
  readonly compared: {
    readonly by: "value" | "ratio" | "difference";
    readonly value: number;
    /** 95 % confidence interval; null without one. */
    readonly interval: { readonly low: number; readonly high: number } | null;
    readonly limit: number;
  } | null;
  /** Reason in a short sentence; empty if the interval explains it. */
  readonly why: string;
}

/** Outcome of all gates. */
export interface GateCheck {
  /** True if every gate holds. */
  readonly passed: boolean;
  readonly gates: readonly CheckedGate[];
}
