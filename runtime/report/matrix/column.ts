import type { Block, Result, VariantResult } from "../../result/schema.ts";
import { type Column, names } from "../spec.ts";

/** What the comparison shows of a variant; the HTML report reads the rest of it when it is looked at. */
export type ComparedVariant =
  & Omit<VariantResult, "blocks" | "ops" | "profile" | "queues" | "pipeline" | "autotune">
  & { readonly blocks: readonly Omit<Block, "steps">[] };

export interface ComparedResult extends Omit<Result, "variants"> {
  readonly variants: readonly ComparedVariant[];
}

/** Marks a figure that is the time of a sink divided by its steps. */
export const AMORTISED = "*";

/** Marks a variant that was interrupted. */
export const INTERRUPTED = "†";

/** What a column cannot be measured without. */
export type Need = "model" | "timestamps" | "optimizer";

/** A column of the matrix. */
export interface MatrixColumn extends Column<ComparedVariant> {
  readonly needs?: readonly Need[];
}

/** The column of names, under a heading that says what stands beside them. */
export function variantColumn(heading: string): MatrixColumn {
  return names("variant", ({ name }) => name, {
    heading: [heading],
    mark: ({ status }) => status === "interrupted" ? INTERRUPTED : null,
  });
}
