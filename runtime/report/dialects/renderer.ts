import type { VariantResult } from "../../result/schema.ts";
import type { LookOptions, Page } from "../page.ts";

export interface DialectOptions extends LookOptions {
  /** 1: phases alone, where the tool has such a level. */
  verbosity: 0 | 1 | 2;
}

/** What a tool would print of a variant, and what has to be said about it. */
export interface Spoken {
  lines: string[];
  notes: string[];
}

export type DialectRenderer = (variant: VariantResult, page: Page, options: DialectOptions) => Spoken;
