import type { Model } from "../nn/multi_input.ts";
import type { Settings } from "./schema.ts";

/** Checked settings of a variant, with all defaults filled in. */
export interface Config extends Settings {
  readonly params: Readonly<Record<string, unknown>>;
  /** Model to run; null runs the loader alone. */
  readonly model: Model | null;
}
