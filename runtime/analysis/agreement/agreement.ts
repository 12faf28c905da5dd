import type { Result, VariantResult } from "../../result/schema.ts";
import { sameAdapter } from "../environment_differences.ts";
import { splitSubject } from "../gates/gate_metrics.ts";
import { type NumberReading, readMetric } from "../gates/reading.ts";
import { compareLosses, type LossAgreement } from "./losses.ts";

/**
 * Variation of the same set-up's speed between runs on a shared machine, beyond the variation between blocks of a run.
 * Speeds differ only if their intervals are farther apart.
 */
const RUN_TO_RUN = 0.15;

/** A metric in both runs; null if not measured. */
export interface FigurePair {
  readonly then: NumberReading | null;
  readonly now: NumberReading | null;
  /** True if the intervals overlap; null without two intervals. */
  readonly overlap: boolean | null;
}

/** Agreement of a variant's second run with its first. */
export interface VariantAgreement {
  readonly name: string;
  readonly ips: FigurePair;
  readonly speedup: FigurePair;
  readonly verdicts: readonly [then: VariantResult["verdict"], now: VariantResult["verdict"]];
  /** Agreement of the losses; null on another adapter, where they cannot be compared step by step. */
  readonly losses: LossAgreement | null;
  /** Reason why the losses may differ; null on the same adapter with the same plan. */
  readonly lossNote: string | null;
  /** Descriptions of all disagreements. */
  readonly disagreements: readonly string[];
}

/**
 * Compares a second run of an experiment with the first, variant by variant. Speed-ups agree if their intervals overlap,
 * verdicts if they do not contradict each other, and losses if they are identical or the plans differ. Throughputs may be
 * {@linkcode RUN_TO_RUN} apart. Losses and throughputs are only compared on the same adapter.
 */
export function agreementOf(then: Result, now: Result): VariantAgreement[] {
  const names = new Set([...then.variants, ...now.variants].map(({ name }) => name));
  const same = sameAdapter(then.environment, now.environment);
  return [...names].map((name) => {
    const [a, b] = [then, now].map(({ variants }) => variants.find((variant) => variant.name === name));
    if (a === undefined || b === undefined) {
      return absent(name, a === undefined ? "from the first run" : "from the second run");
    }
    const read = (metric: string) => pair(numberOf(then, a, metric), numberOf(now, b, metric));
    const [ips, speedup] = [read("ips"), read("speedup")];
    const samePlan = a.planFingerprint === b.planFingerprint;
    const lossNote = !same ? "different adapter" : samePlan ? null : "different plan";
    const losses = same ? compareLosses(a.losses, b.losses) : null;
    const verdicts = [a.verdict, b.verdict] as const;
    const disagreements = [
      (a.status === "failed") === (b.status === "failed") ? null : `status changed from ${a.status} to ${b.status}`,
      name !== now.baseline && speedup.overlap === false ? "the speed-up intervals do not overlap" : null,
      contradict(...verdicts) ? `verdict changed from ${a.verdict} to ${b.verdict}` : null,
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
    lossNote: `the variant is missing ${when}`,
    disagreements: [`the variant is missing ${when}`],
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

/** Returns true for two different verdicts; `unclear` contradicts nothing. */
function contradict(a: VariantResult["verdict"], b: VariantResult["verdict"]): boolean {
  return a !== null && b !== null && a !== b && a !== "unclear" && b !== "unclear";
}

/** Returns true if the intervals are far apart; a single block has none. */
function farApart({ then, now }: FigurePair): boolean {
  const [a, b] = [then?.interval ?? null, now?.interval ?? null];
  return a !== null && b !== null && Math.max(a.low / b.high, b.low / a.high) > 1 + RUN_TO_RUN;
}
