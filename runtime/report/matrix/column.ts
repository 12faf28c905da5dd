import { isHostTimed } from "../own_loop.ts";
import type { Block, Result, VariantResult } from "../../result/schema.ts";
import { type Column, names } from "../spec.ts";

/** Part of a variant that the comparison shows; the HTML report loads the rest on demand. */
export type ComparedVariant =
  & Omit<VariantResult, "blocks" | "ops" | "profile" | "queues" | "pipeline" | "autotune">
  & { readonly blocks: readonly Omit<Block, "steps">[] };

export interface ComparedResult extends Omit<Result, "variants"> {
  readonly variants: readonly ComparedVariant[];
}

/** Returns true for a run that is merged from shards, whose speeds and times are per node. */
export function isMerged({ nodes }: Pick<Result, "nodes">): boolean {
  return nodes !== undefined;
}

/** Marks the time of a sink divided by its steps. */
export const AMORTISED = "*";

/** Marks a variant that was interrupted. */
export const INTERRUPTED = "†";

/** Marks a bound that ablations show. */
export const ABLATED = "‡";

/** Precondition for measuring a column. */
export type Need = "model" | "timestamps" | "optimizer" | "ranks";

/** A column of the matrix. */
export interface MatrixColumn extends Column<ComparedVariant> {
  readonly needs?: readonly Need[];
}

/** Returns the column of variant names, under the given heading. */
export function variantColumn(heading: string): MatrixColumn {
  return names("variant", ({ name }) => name, {
    heading: [heading],
    mark: ({ status }) => status === "interrupted" ? INTERRUPTED : null,
  });
}

/** Columns of the batches that a step waits for, and what limits it. */
const OF_BATCHES: readonly string[] = ["bound", "reader cost"];

/** Columns of losses, which programs may report. */
export const OF_LOSSES: readonly string[] = ["final loss", "loss difference"];

/**
 * Returns the columns that can have figures: functions and programs have no model, no batches and no phases, and losses
 * only if a program reports them.
 */
export function possibleColumns(columns: MatrixColumn[], variants: readonly ComparedVariant[]): MatrixColumn[] {
  if (!variants.every(({ config }) => isHostTimed(config))) return columns;
  const reported = variants.some(({ finalLoss }) => finalLoss !== null);
  return columns.filter(({ name, needs }) =>
    OF_LOSSES.includes(name) ? reported : needs === undefined && !OF_BATCHES.includes(name)
  );
}
