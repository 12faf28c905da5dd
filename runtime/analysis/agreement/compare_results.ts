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
  /** Null where the training of the two cannot be compared step by step: another adapter, or another plan. */
  readonly losses: LossAgreement | null;
  /** Why the losses are not compared. */
  readonly lossNote: string | null;
  /** What does not agree; empty when all does. */
  readonly disagreements: readonly string[];
}

/**
 * Holds a second run of an experiment against the first, variant by variant. Speed-ups agree where their intervals
 * overlap, verdicts where they do not contradict each other, losses where they are identical. Images a second may be
 * {@linkcode RUN_TO_RUN} apart, and only count on the same adapter.
 */
export function compareResults(then: Result, now: Result): VariantAgreement[] {
  const names = new Set([...then.variants, ...now.variants].map(({ name }) => name));
  const same = sameAdapter(then.environment, now.environment);
  return [...names].map((name) => {
    const [a, b] = [then, now].map(({ variants }) => variants.find((variant) => variant.name === name));
    if (a === undefined || b === undefined) return absent(name, a === undefined ? "before" : "now");
    const read = (metric: string) => pair(numberOf(then, a, metric), numberOf(now, b, metric));
    const [ips, speedup] = [read("ips"), read("speedup")];
    const lossNote = !same ? "another adapter" : a.planFingerprint !== b.planFingerprint ? "another plan" : null;
    const losses = lossNote === null ? compareLosses(a.losses, b.losses) : null;
    const verdicts = [a.verdict, b.verdict] as const;
    const disagreements = [
      (a.status === "failed") === (b.status === "failed") ? null : `was ${a.status}, is ${b.status}`,
      name !== now.baseline && speedup.overlap === false ? "the intervals of the speed-up do not overlap" : null,
      contradict(...verdicts) ? `the verdict was ${a.verdict}, is ${b.verdict}` : null,
      losses !== null && losses.first !== null ? `the losses differ from step ${losses.first.step} on` : null,
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
