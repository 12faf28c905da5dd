import type { VariantResult } from "../../result/schema.ts";
import type { Cell, Column } from "../table.ts";

/** Marks a figure that is the time of a sink divided by its steps. */
export const AMORTISED = "*";

/** Marks a variant that was interrupted. */
export const INTERRUPTED = "†";

/** What a column cannot be measured without. */
export type Need = "model" | "timestamps" | "optimizer";

/** A column of the matrix: null stands for what was not measured. */
export interface MatrixColumn extends Column {
  needs: readonly Need[];
  cell(variant: VariantResult): Cell | null;
}

/** The column of names, under a heading that says what stands beside them. */
export function variantColumn(heading: string): MatrixColumn {
  return {
    name: "variant",
    heading: [heading],
    align: "left",
    breakAfter: ",",
    cut: true,
    needs: [],
    cell: ({ name, status }) => ({ text: name, ...status === "interrupted" ? { mark: INTERRUPTED } : {} }),
  };
}
