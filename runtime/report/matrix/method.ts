import type { Result, VariantResult } from "../../result/schema.ts";
import { tuningSummary } from "../autotune.ts";
import { formatNumber } from "../format.ts";
import { perVariant } from "../plain_text.ts";
import { procedureFacts } from "./procedure.ts";
import { judgedBy } from "./verdicts.ts";

/** Returns how a run was measured and judged: noise floor, set-ups, outliers, probe, waits and tuning. */
export function methodNotes(result: Result): string[] {
  const { variants } = result;
  return [
    ...judgedBy(result),
    ...procedureFacts(result),
    counts(variants),
    runtimeWait(variants),
    ...tuningSummary(result),
  ].filter((note) => note !== null);
}

function counts(variants: readonly VariantResult[]): string | null {
  const facts = variants.flatMap(({ name, counts }) =>
    counts === null ? [] : [[name, `${counts.submits}/${counts.waits}/${counts.readbacks}`] as const]
  );
  return facts.length === 0 ? null : `submits/waits/readbacks: ${perVariant(facts, variants.length)}`;
}

function runtimeWait(variants: readonly VariantResult[]): string | null {
  const known = variants.filter((variant) => variant.metrics.runtimeWait !== null);
  if (known.length === 0) return null;
  const facts = known.map(({ name, metrics }) => [name, formatNumber(metrics.runtimeWait!.value)] as const);
  return `runtime wait (Deno's sleep after each wait for the device), ms per step: ${
    perVariant(facts, variants.length)
  }`;
}
