import type { VariantResult } from "../../result/schema.ts";
import type { LookOptions, Page } from "../page.ts";

export interface DialectOptions extends LookOptions {
  /** 1 prints only phases, where the tool has that level. */
  verbosity: 0 | 1 | 2 | 3;
}

/** Lines that a tool would print for a variant, and our notes on them. */
export interface DialectText {
  lines: string[];
  notes: string[];
}

export type DialectRenderer = (variant: VariantResult, page: Page, options: DialectOptions) => DialectText;
