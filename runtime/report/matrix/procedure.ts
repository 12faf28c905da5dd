import type { Procedure, Result, VariantResult } from "../../result/schema.ts";
import { formatCounted, formatNumber, formatPercent, formatSeconds, MISSING } from "../format.ts";
import type { FootLine } from "./verdicts.ts";
import { perVariant } from "../plain_text.ts";
import { comparisonsOf, setupsText } from "../setups.ts";

/** Smallest drift of the probe over a run that is reported. */
const MIN_TREND = 0.02;

/** Kind of the message that two variants share one run, which is not a problem. */
const ALIAS = "alias";

/** Kind of the message about a software adapter, which the head of the matrix names already. */
const SOFTWARE = "software-adapter";

/** Returns warnings about conditions that may have distorted the measurement. */
export function procedureWarnings({ procedure }: Result): FootLine[] {
  if (procedure === null) return [];
  const unsteady = procedure.warmUp.filter(({ steady }) => !steady);
  const steps = perVariant(unsteady.map(({ arm, steps }) => [arm, `(${formatCounted(steps, "step")})`]));
  return [
    ...procedure.warnings.filter(({ kind }) => kind !== ALIAS && kind !== SOFTWARE).map(({ message }) =>
      `warning: ${message}`
    ),
    unsteady.length === 0 ? null : `warning: step times had not settled when the warm-up ended: ${steps}`,
  ].flatMap((text) => text === null ? [] : [{ text, tone: "warning" } as const]);
}

/** Returns the variants that share another one's run. */
export function aliases({ procedure }: Result): string[] {
  return (procedure?.warnings ?? []).filter(({ kind }) => kind === ALIAS).map(({ message }) => message);
}

/** Returns facts about how the blocks ran. */
export function procedureFacts({ procedure, variants }: Result): string[] {
  return [
    ...(procedure?.warnings ?? []).filter(({ kind }) => kind === SOFTWARE).map(({ message }) => message),
    beforeBlocks(variants, procedure),
    procedure === null ? null : setups(procedure, variants),
    outliers(variants),
    procedure === null ? null : probe(procedure),
    procedure === null || procedure.resumed === 0
      ? null
      : `resumed after an interruption: ${procedure.resumed === 1 ? "once" : `${procedure.resumed} times`}`,
  ].filter((line) => line !== null);
}

/** Returns what happened before the measured blocks: set-up, the first step and the warm-up steps. */
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
  const warmUp = procedure !== null && procedure.warmUp.length > 0 ? "/warm-up steps" : "";
  return `before the measured blocks (set-up/first step${warmUp}): ${perVariant(facts, variants.length)}`;
}

function setups(procedure: Procedure, variants: readonly VariantResult[]): string | null {
  const text = setupsText(procedure, comparisonsOf(variants, procedure));
  return text === null ? null : `set-ups: ${text}`;
}

function outliers(variants: readonly VariantResult[]): string | null {
  const judged = variants.flatMap(({ name, outliers }) => outliers === null ? [] : [{ name, ...outliers }]);
  if (judged.length === 0) return null;
  const some = judged.filter(({ mild, severe }) => mild + severe > 0);
  const what = "outlier blocks (beyond Tukey's fences), not removed";
  if (some.length === 0) return `${what}: none`;
  const facts = some.map(({ name, mild, severe, blocks }) => {
    const kinds = [mild > 0 ? `${mild} mild` : null, severe > 0 ? `${severe} severe` : null];
    return [name, `${kinds.filter((kind) => kind !== null).join(" and ")} of ${blocks}`] as const;
  });
  const quiet = judged.length - some.length;
  return `${what}: ${perVariant(facts)}${quiet === 0 ? "" : `; none in ${quiet} other${quiet === 1 ? "" : "s"}`}`;
}

/** Returns the times of the fixed kernel that runs between rounds; a device that throttles slows it down. */
function probe({ probe, probeTrend }: Procedure): string | null {
  if (probe.length === 0) return null;
  const times = probe.map(({ time }) => time);
  const range = `${formatNumber(Math.min(...times))} to ${formatNumber(Math.max(...times))} ms`;
  const trend = probeTrend === null
    ? "too few for a trend"
    : Math.abs(probeTrend) < MIN_TREND
    ? "no trend"
    : `${formatPercent(Math.abs(probeTrend))} % ${probeTrend > 0 ? "slower" : "faster"} over the run`;
  return `probe (a fixed kernel, timed between rounds): ${range}, ${trend}`;
}
