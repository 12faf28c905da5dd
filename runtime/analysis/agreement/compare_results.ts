import type { Result, VariantResult } from "../../result/schema.ts";
import { sameAdapter } from "../environment_differences.ts";
import { splitSubject } from "../gates/gate_metrics.ts";
import { type NumberReading, readMetric } from "../gates/reading.ts";
import { compareLosses, type LossAgreement } from "./losses.ts";

/**
 * The part by which the speed of one set-up can differ from run to run beyond what the blocks of one run show, on a
 * machine that others use too (STATISTICS.md): speeds count as different only where their intervals are farther apart.
 */
const RUN_TO_RUN = 0.15;

/** A metric in both runs; null where it was not measured. */
export interface FigurePair {
  readonly then: NumberReading | null;
  readonly now: NumberReading | null;
  /** Whether the intervals have something in common; null where there are not two. */
  readonly overlap: boolean | null;
}

/** How far a variant's second run bears out its first. */
export interface VariantAgreement {
  readonly name: string;
  readonly ips: FigurePair;
  readonly speedup: FigurePair;
  readonly verdicts: readonly [then: VariantResult["verdict"], now: VariantResult["verdict"]];
  /** Null on another adapter, where losses cannot be compared step by step. */
  readonly losses: LossAgreement | null;
  /** Reason why the losses may differ; null on the same adapter with the same plan. */
  readonly lossNote: string | null;
  /** What does not agree; empty when all does. */
  readonly disagreements: readonly string[];
}

/**
 * Compares a second run of an experiment with the first, variant by variant. Speed-ups agree if their intervals overlap,
 * verdicts if they do not contradict each other, and losses if they are identical or the plans differ. Throughputs may be
 * {@linkcode RUN_TO_RUN} apart. Losses and throughputs are only compared on the same adapter.
 */
export function compareResults(then: Result, now: Result): VariantAgreement[] {
  const names = new Set([...then.variants, ...now.variants].map(({ name }) => name));
  const same = sameAdapter(then.environment, now.environment);
  return [...names].map((name) => {
    const [a, b] = [then, now].map(({ variants }) => variants.find((variant) => variant.name === name));
    if (a === undefined || b === undefined) return absent(name, a === undefined ? "before" : "now");
    const read = (metric: string) => pair(numberOf(then, a, metric), numberOf(now, b, metric));
    const [ips, speedup] = [read("ips"), read("speedup")];
    const samePlan = a.planFingerprint === b.planFingerprint;
    const lossNote = !same ? "another adapter" : samePlan ? null : "another plan";
    const losses = same ? compareLosses(a.losses, b.losses) : null;
    const verdicts = [a.verdict, b.verdict] as const;
    const disagreements = [
      (a.status === "failed") === (b.status === "failed") ? null : `was ${a.status}, is ${b.status}`,
      name !== now.baseline && speedup.overlap === false ? "the intervals of the speed-up do not overlap" : null,
      contradict(...verdicts) ? `the verdict was ${a.verdict}, is ${b.verdict}` : null,
      samePlan && losses !== null && losses.first !== null
        ? `the losses differ from step ${losses.first.step} on`
        : null,
      same && farApart(ips) ? `the speeds are more than ${RUN_TO_RUN * 100} % apart` : null,
    ].filter((line) => line !== null);
    return { name, ips, speedup, verdicts, losses, lossNote, disagreements };
  });
}

function absent(name: string, when: string): VariantAgreement {
  const none: FigurePair = { then: null, now: null, overlap: null };
  return {
    name,
    ips: none,
    speedup: none,
    verdicts: [null, null],
    losses: null,
    lossNote: `there is no such variant ${when}`,
    disagreements: [`there is no such variant ${when}`],
  };
}

function numberOf(result: Result, variant: VariantResult, metric: string): NumberReading | null {
  const subject = `${metric}.${variant.name}`;
  const reading = readMetric(result, variant, splitSubject(subject, subject).metric);
  return reading.kind === "number" ? reading : null;
}

function pair(then: NumberReading | null, now: NumberReading | null): FigurePair {
  const [a, b] = [then?.interval ?? null, now?.interval ?? null];
  return { then, now, overlap: a === null || b === null ? null : a.low <= b.high && b.low <= a.high };
}

/** `unclear` contradicts nothing. */
function contradict(a: VariantResult["verdict"], b: VariantResult["verdict"]): boolean {
  return a !== null && b !== null && a !== b && a !== "unclear" && b !== "unclear";
}

/** A single block may be as far off as it likes; only intervals tell. */
function farApart({ then, now }: FigurePair): boolean {
  const [a, b] = [then?.interval ?? null, now?.interval ?? null];
  return a !== null && b !== null && Math.max(a.low / b.high, b.low / a.high) > 1 + RUN_TO_RUN;
}
