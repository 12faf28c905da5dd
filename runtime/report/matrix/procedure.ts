import type { Procedure, Result, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent, formatSeconds, MISSING } from "../format.ts";
import type { FootLine } from "./verdicts.ts";
import { perVariant } from "../plain_text.ts";

/** A smaller drift of the probe over the run is not worth a word. */
const LEAST_TREND = 0.02;

/** Kind of the message that one variant stands for two; nothing is wrong with that. */
const ALIAS = "alias";

/** How many rounds were run, and why no more: `rounds 5 of 8, interrupted`. */
export function roundsText({ planned, rounds, stoppedBy, precision, maxTime }: Procedure): string {
  const count = rounds === planned ? `rounds ${rounds}` : `rounds ${rounds} of ${planned}`;
  const why: Record<Procedure["stoppedBy"], string | null> = {
    rounds: null,
    precision: `every interval within ±${precision === null ? MISSING : formatPercent(precision)} %`,
    time: `the time was up${maxTime === null ? "" : ` (${formatSeconds(maxTime * 1000)})`}`,
    interrupted: "interrupted",
    failed: "ended by a failure",
  };
  return [count, why[stoppedBy]].filter((part) => part !== null).join(", ");
}

/** What may have spoilt the measurement. */
export function procedureWarnings({ procedure }: Result): FootLine[] {
  if (procedure === null) return [];
  const unsteady = procedure.warmUp.filter(({ steady }) => !steady);
  const steps = perVariant(unsteady.map(({ arm, steps }) => [arm, `(${steps === 1 ? "1 step" : `${steps} steps`})`]));
  return [
    ...procedure.warnings.filter(({ kind }) => kind !== ALIAS).map(({ message }) => `warning: ${message}`),
    unsteady.length === 0 ? null : `warning: step times were not steady when the warm-up ended: ${steps}`,
  ].flatMap((text) => text === null ? [] : [{ text, tone: "warning" } as const]);
}

/** How the blocks were run and what was seen meanwhile. */
export function procedureFacts({ procedure, variants }: Result): string[] {
  return [
    ...(procedure?.warnings ?? []).filter(({ kind }) => kind === ALIAS).map(({ message }) => message),
    beforeBlocks(variants, procedure),
    outliers(variants),
    procedure === null ? null : probe(procedure),
    procedure === null || procedure.resumed === 0
      ? null
      : `taken up again after an interruption: ${procedure.resumed === 1 ? "once" : `${procedure.resumed} times`}`,
  ].filter((line) => line !== null);
}

/** What is told apart from the blocks: preparing, the first step, and the steps until times were steady. */
function beforeBlocks(variants: readonly VariantResult[], procedure: Procedure | null): string | null {
  const known = variants.filter(({ metrics }) => metrics.setup !== null || metrics.firstStep !== null);
  if (known.length === 0) return null;
  const seconds = (metric: VariantResult["metrics"]["setup"]) =>
    metric === null ? MISSING : formatSeconds(metric.value);
  const facts = known.map(({ name, metrics }) => {
    const warmUp = procedure?.warmUp.find(({ arm }) => arm === name);
    const steps = warmUp === undefined ? "" : `/${warmUp.steps}`;
    return [name, `${seconds(metrics.setup)}/${seconds(metrics.firstStep)}${steps}`] as const;
  });
  const warmUp = procedure !== null && procedure.warmUp.length > 0 ? "/steps of warm-up" : "";
  return `before the blocks, set-up/first step${warmUp}: ${perVariant(facts, variants.length)}`;
}

function outliers(variants: readonly VariantResult[]): string | null {
  const judged = variants.flatMap(({ name, outliers }) => outliers === null ? [] : [{ name, ...outliers }]);
  if (judged.length === 0) return null;
  const some = judged.filter(({ mild, severe }) => mild + severe > 0);
  const what = "blocks outside of Tukey's fences, not left out";
  if (some.length === 0) return `${what}: none`;
  const facts = some.map(({ name, mild, severe, blocks }) => {
    const kinds = [mild > 0 ? `${mild} mild` : null, severe > 0 ? `${severe} severe` : null];
    return [name, `${kinds.filter((kind) => kind !== null).join(" and ")} of ${blocks}`] as const;
  });
  const quiet = judged.length - some.length;
  return `${what}: ${perVariant(facts)}${quiet === 0 ? "" : `; none in ${quiet} more`}`;
}

/** The fixed kernel between rounds: a device that throttles takes longer for it. */
function probe({ probe, probeTrend }: Procedure): string | null {
  if (probe.length === 0) return null;
  const times = probe.map(({ time }) => time);
  const range = `${formatNumber(Math.min(...times))} to ${formatNumber(Math.max(...times))} ms`;
  const trend = probeTrend === null
    ? "too few for a trend"
    : Math.abs(probeTrend) < LEAST_TREND
    ? "no trend"
    : `${formatPercent(Math.abs(probeTrend))} % ${probeTrend > 0 ? "slower" : "faster"} over the run`;
  return `probe, a fixed kernel between rounds: ${range}, ${trend}`;
}
