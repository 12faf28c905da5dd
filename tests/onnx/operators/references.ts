/**
 * References of all operators, in f64 and independent of the runtime.
 *
 * @module
 */
import type { NodeCase } from "../../support/onnx_node.ts";
import type { Draw, DrawCase } from "./draw.ts";
import { ATTENTION } from "./attention.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { INDEXING } from "./indexing.ts";
import { MAKING } from "./making.ts";
import { MOVING } from "./moving.ts";
import { NORMS } from "./norms.ts";
import { PRODUCTS } from "./products.ts";
import { QUANTIZATION } from "./quantization.ts";
import { RECURRENT } from "./recurrent.ts";
import { REDUCING } from "./reducing.ts";
import { RESIZING } from "./resizing.ts";
import { WINDOWS } from "./windows.ts";

/** Draws a node of each operator, by its key in the registry. */
export const REFERENCES: ReadonlyMap<string, (draw: Draw) => NodeCase> = new Map([
  ...ATTENTION,
  ...ELEMENTWISE,
  ...INDEXING,
  ...MAKING,
  ...MOVING,
  ...NORMS,
  ...PRODUCTS,
  ...QUANTIZATION,
  ...RECURRENT,
  ...REDUCING,
  ...RESIZING,
  ...WINDOWS,
].map(([key, draw]) => [key, nodeOf(key, draw)]));

function nodeOf(key: string, drawCase: DrawCase): (draw: Draw) => NodeCase {
  const dot = key.lastIndexOf(".");
  const operator = { type: key.slice(dot + 1), ...dot < 0 ? {} : { domain: key.slice(0, dot) } };
  return (draw) => ({ ...operator, elements: 0, ...drawCase(draw) });
}

/** Operators that have other tests. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  If: "scopes_test.ts: graphs inside of nodes",
  Loop: "scopes_test.ts: graphs inside of nodes",
  "tacho.Attention": "patterns_test.ts: it replaces a pattern",
  "tacho.Gelu": "patterns_test.ts: it replaces a pattern",
  "tacho.Linear": "patterns_test.ts: it replaces a pattern",
  "tacho.Unbind": "patterns_test.ts: it replaces a pattern",
};
