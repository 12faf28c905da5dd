import { measuredMetrics } from "../../../../analysis/metrics.ts";
import { formatCount, formatPercent, MISSING } from "../../../format.ts";
import type { Overview, VariantOverview } from "../../embedded.ts";
import { nameText } from "../names.ts";

/** What the signs of the matrix mean, and why cells are empty. */
export function matrixNotes(overview: Overview): string[] {
  const { variants, baseline, noiseFloor } = overview;
  const compared = variants.filter(({ comparison }) => comparison !== null);
  const first = compared[0]?.comparison ?? null;
  const step = variants.find(({ finalLoss }) => finalLoss !== null)?.finalLoss?.step;
  return [
    ...failures(variants),
    first === null
      ? variants.length > 1
        ? `verdict, interval ${MISSING}: the blocks of this run were not compared by a procedure`
        : ""
      : `Speed-up against ${nameText(baseline)}: geometric mean over rounds with its ${formatPercent(first.level)} % ` +
        `interval (${nameText(first.method)}); the band is what counts as no difference`,
    noiseFloor === null ? "" : `Noise floor of this machine: ${formatPercent(noiseFloor.value)} %`,
    ...reasons(compared),
    variants.some(({ metrics }) => measuredMetrics(metrics).some((metric) => metric.amortised))
      ? "* amortised: the time of a sink / its steps"
      : "",
    step === undefined ? "" : `Final loss: after ${formatCount(step + 1)} steps of every variant`,
    ...empty(overview),
  ];
}

function failures(variants: readonly VariantOverview[]): string[] {
  return variants.filter(({ error }) => error !== null)
    .map(({ name, error }) => `${nameText(name)} failed: ${nameText(error!.message, 600)}`);
}

/** Why each verdict is what it is; only for as many as one reads. */
function reasons(compared: readonly VariantOverview[]): string[] {
  return compared.length > 8 ? [] : compared.filter(({ verdict }) => verdict !== null)
    .map(({ name, verdict, comparison }) => `${nameText(name)}, ${verdict}: ${nameText(comparison!.reason, 400)}`);
}

function empty({ variants, environment: { adapter } }: Overview): string[] {
  const ran = variants.filter(({ blocks }) => blocks.length > 0);
  const untimed = adapter !== null && !adapter.features.includes("timestamp-query");
  return [
    untimed ? `${MISSING} in the device's columns: the adapter has no timestamp queries` : "",
    ran.some(({ parameters }) => parameters === null)
      ? `${MISSING} in the model's columns: no model, the loader alone was measured`
      : "",
    ran.some(({ status }) => status === "interrupted") ? "Interrupted variants show what was measured until then" : "",
  ];
}
