import type { Result } from "../../result/schema.ts";
import { DISPLAY } from "./kernel.ts";

/** A result that a notebook displays as tables with the interval plot. */
export type DisplayedResult = Result & {
  /** Returns the representations of the result by MIME type. */
  readonly [DISPLAY]: () => Promise<Readonly<Record<string, string>>>;
};

/**
 * Makes a result display itself when it is the value of a notebook's cell, and returns it. `measure()` and `bench()` do so
 * with their results; results read from files need it. JSON and comparisons of the result are unchanged.
 */
export function displayed(result: Result): DisplayedResult {
  const display = async () => {
    const { renderNotebook } = await import("../../report/notebook/notebook.ts");
    return { ...renderNotebook(result) };
  };
  if (!(DISPLAY in result)) Object.defineProperty(result, DISPLAY, { value: display });
  return result as DisplayedResult;
}
