import type { Result } from "../../result/schema.ts";

/** A message that a Jupyter kernel sends to its frontends. */
interface DisplayContent {
  readonly data: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly transient: { readonly display_id: string };
}

/** Deno's Jupyter kernel, as far as it is used here. */
export interface Kernel {
  broadcast(type: "display_data" | "update_display_data", content: DisplayContent): Promise<void>;
}

/** Method by which a value tells Deno's kernel how to display it. */
export const DISPLAY: unique symbol = Symbol.for("Jupyter.display") as never;

/** Returns the kernel that runs this code; null outside of a notebook. */
export function runningKernel(): Kernel | null {
  try {
    return (Deno as unknown as { readonly jupyter?: Kernel }).jupyter ?? null;
  } catch {
    return null; // outside of a kernel, the property throws
  }
}

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
