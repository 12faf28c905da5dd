/**
 * Types of initialisers. Generated from their schemas by: deno task types
 *
 * @module
 */

/** Record that `he` returns. */
export interface HeSpec {
  kind: "he";
  fan: "in" | "out";
  distribution: "normal" | "uniform";
  slope: number;
}

/** Record that `xavier` returns. */
export interface XavierSpec {
  kind: "xavier";
  distribution: "normal" | "uniform";
  gain: number;
}

/** Record that `uniform` returns. */
export interface UniformSpec {
  kind: "uniform";
  low: number;
  high: number;
}

/** Record that `normal` returns. */
export interface NormalSpec {
  kind: "normal";
  mean: number;
  deviation: number;
}

/** Record that `constant` returns. */
export interface ConstantSpec {
  kind: "constant";
  value: number;
}

/** Record of any of the initialisers. */
export type InitializerSpec = HeSpec | XavierSpec | UniformSpec | NormalSpec | ConstantSpec;
