import type { Result, VariantResult } from "../result/schema.ts";
import type { MatrixColumn } from "./matrix_columns.ts";

/** Collects why cells of the matrix hold no number, for the foot. */
export class MissingReasons {
  readonly #result: Result;
  readonly #variants = new Map<string, Set<string>>();
  readonly #columns = new Map<string, Set<string>>();

  constructor(result: Result) {
    this.#result = result;
  }

  /** Notes that `column` has no number for `variant`. */
  add(column: MatrixColumn, variant: VariantResult): void {
    const fate = this.#fateOf(variant);
    if (fate !== null) return note(this.#variants, fate, variant.name);
    note(this.#columns, this.#reasonOf(column, variant), column.name);
  }

  /** One sentence for each reason. */
  sentences(): string[] {
    return [...this.#variants, ...this.#columns].map(([reason, names]) => `${reason}: ${[...names].join(", ")}`);
  }

  #fateOf({ status, blocks }: VariantResult): string | null {
    if (status === "failed") return "the variant failed";
    return status === "interrupted" && blocks.length === 0 ? "interrupted before a block was measured" : null;
  }

  #reasonOf(column: MatrixColumn, variant: VariantResult): string {
    const { adapter } = this.#result.environment;
    if (column.needs.includes("model") && variant.parameters === null) return "no model, the loader alone was measured";
    const onDevice = column.needs.includes("timestamps") ||
      (column.name === "step time" && variant.config["timing"] === "event");
    if (onDevice && adapter && !adapter.features.includes("timestamp-query")) {
      return "the adapter has no timestamp queries";
    }
    if (column.needs.includes("optimizer") && variant.metrics.forward !== null) {
      return "not part of the steps (no optimizer)";
    }
    if (column.name === "loss difference") return "no loss of the baseline at the same step";
    if (variant.status === "interrupted") return "interrupted before it was measured";
    return "not measured in this run";
  }
}

function note(reasons: Map<string, Set<string>>, reason: string, name: string): void {
  const names = reasons.get(reason) ?? new Set();
  reasons.set(reason, names.add(name));
}
