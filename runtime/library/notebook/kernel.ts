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
