import type { Result, VariantResult } from "../result/schema.ts";
import type { MatrixColumn } from "./matrix/column.ts";
import { namesInProse } from "./plain_text.ts";

/** Columns that compare rounds. */
const JUDGED: readonly string[] = ["ratio", "interval", "verdict", "p"];

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
    return [...this.#variants, ...this.#columns].map(([reason, names]) => `${reason}: ${namesInProse([...names])}`);
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
    const trains = variant.config["optimizer"] !== null && variant.config["mode"] !== "infer";
    if (column.name === "final loss" && !trains) return "nothing is trained, so no loss is read";
    const { variants, baseline } = this.#result;
    const held = JUDGED.includes(column.name) || column.name === "loss difference";
    if (held && variants.find(({ name }) => name === baseline)?.status === "failed") return "the baseline failed";
    if (column.name === "loss difference") return "no loss of the baseline at the same step";
    if (column.name.startsWith("step ") && variant.metrics.batchCost?.amortised) {
      return "inside of a sink no step has a time of its own";
    }
    if (JUDGED.includes(column.name)) {
      return variant.comparison === null ? "no round that it and the baseline ran whole" : "too few rounds";
    }
    if (variant.status === "interrupted") return "interrupted before it was measured";
    if (column.name === "bound") {
      return "batches are waited for in less than half of a step, and the device was not timed";
    }
    return "not measured in this run";
  }
}

function note(reasons: Map<string, Set<string>>, reason: string, name: string): void {
  const names = reasons.get(reason) ?? new Set();
  reasons.set(reason, names.add(name));
}
