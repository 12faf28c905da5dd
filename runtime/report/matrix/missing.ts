import { isOwnLoop, isProgram } from "../own_loop.ts";
import { namesInProse } from "../plain_text.ts";
import { type ComparedResult, type ComparedVariant, type MatrixColumn, OF_LOSSES } from "./column.ts";
import { speedTable } from "./speed.ts";
import { timesTable } from "./times.ts";

/** Columns that compare rounds. */
const JUDGED: readonly string[] = ["ratio", "interval", "verdict", "p"];

/** Returns why cells of the matrix are empty, one sentence for each reason. */
export function missingReasons(result: ComparedResult): string[] {
  const ofVariants = new Map<string, Set<string>>();
  const ofColumns = new Map<string, Set<string>>();
  for (const table of [speedTable(result), timesTable(result)]) {
    for (const variant of result.variants) {
      const fate = fateOf(variant);
      for (const column of table.columns) {
        if (column.only === "data" || column.value(variant) !== null) continue;
        if (fate !== null) note(ofVariants, fate, variant.name);
        else note(ofColumns, reasonOf(result, column, variant), column.name);
      }
    }
  }
  return [...ofVariants, ...ofColumns].map(([reason, names]) => `${reason}: ${namesInProse([...names])}`);
}

function fateOf({ status, blocks }: ComparedVariant): string | null {
  if (status === "failed") return "the variant failed";
  return status === "interrupted" && blocks.length === 0 ? "interrupted before any block was measured" : null;
}

function reasonOf(
  { environment: { adapter }, variants, baseline }: ComparedResult,
  { name, needs = [] }: MatrixColumn,
  variant: ComparedVariant,
): string {
  if (OF_LOSSES.includes(name) && isProgram(variant.config)) {
    return variant.finalLoss === null ? "the program reports no loss" : "the baseline has no loss at the same step";
  }
  if (needs.includes("model") && variant.parameters === null) {
    if (isOwnLoop(variant.config)) return "the loop has no trainer";
    return isProgram(variant.config) ? "the program is timed on the host" : "no model, only the loader was measured";
  }
  const onDevice = needs.includes("timestamps") ||
    (name === "step time" && variant.config.timing === "event");
  if (onDevice && adapter && !adapter.features.includes("timestamp-query")) {
    return "the adapter has no timestamp queries";
  }
  if (needs.includes("ranks") && variant.ranks === undefined) return "trained on one rank";
  if (name === "efficiency") return "no variant with the same settings on one rank";
  if (needs.includes("optimizer") && variant.metrics.forward !== null) {
    return "not part of a step (no optimizer)";
  }
  const trains = variant.config.optimizer !== null && variant.config.mode !== "infer";
  if (name === "final loss" && !trains) return "nothing is trained, so there is no loss";
  const compared = JUDGED.includes(name) || name === "loss difference";
  if (compared && variants.find((one) => one.name === baseline)?.status === "failed") return "the baseline failed";
  if (name === "loss difference") return "the baseline has no loss at the same step";
  if (name.startsWith("step ") && variant.metrics.batchCost?.amortised) {
    return "steps within a sink are not timed separately";
  }
  if (JUDGED.includes(name)) {
    return variant.comparison === null ? "no round completed together with the baseline" : "too few rounds";
  }
  if (variant.status === "interrupted") return "interrupted before it was measured";
  if (name === "bound") {
    return "waiting for batches takes less than half of a step, and the device was not timed";
  }
  return "not measured in this run";
}

function note(reasons: Map<string, Set<string>>, reason: string, name: string): void {
  const names = reasons.get(reason) ?? new Set();
  reasons.set(reason, names.add(name));
}
