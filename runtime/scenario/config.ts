import type { MarkedLayer } from "../nn/layer.ts";
import type { Settings } from "./schema.ts";

/** A variant's settings, checked, with every default filled in. */
export interface Config extends Settings {
  readonly params: Readonly<Record<string, unknown>>;
  /** `null`: the loader alone. */
  readonly model: MarkedLayer | null;
}
