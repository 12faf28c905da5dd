/**
 * References of all operators, in f64 and independent of the runtime.
 *
 * @module
 */
import type { DrawCase } from "./draw.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { LAYERS } from "./layers.ts";
import { MOVING } from "./moving.ts";
import { REDUCING } from "./reducing.ts";

/** Draws a node of each operator, by its key in the registry. */
export const REFERENCES: ReadonlyMap<string, DrawCase> = new Map([...ELEMENTWISE, ...LAYERS, ...MOVING, ...REDUCING]);

/** Operators that have other tests. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  If: "scopes_test.ts: graphs inside of nodes",
  Loop: "scopes_test.ts: graphs inside of nodes",
  "tacho.Attention": "patterns_test.ts: it replaces a pattern",
  "tacho.Gelu": "patterns_test.ts: it replaces a pattern",
  "tacho.Linear": "patterns_test.ts: it replaces a pattern",
  "tacho.Unbind": "patterns_test.ts: it replaces a pattern",
};
