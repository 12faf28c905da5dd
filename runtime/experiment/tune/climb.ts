import { median } from "../../core/statistics.ts";
import type { Change, Comparison, Finding, Ladder, Rung, VariantResult } from "../../result/schema.ts";

/** Outcome of trying the changes of a rung. */
export interface Trial {
  /** Settings below the rung; null if nothing ran. */
  readonly below: VariantResult | null;
  /** Changed settings; null if they cannot run. */
  readonly above: VariantResult | null;
  /** Reason why the changed settings cannot run; else null. */
  readonly problem: string | null;
}

/** Experiments and hooks of a climb. */
export interface Climber {
  /** Measures the start settings, for the first advice. */
  start(): Promise<VariantResult>;
  /** Measures the settings with `kept` against those with `kept` and `changes`, and finds advice for the latter. */
  try(kept: readonly Change[], changes: readonly Change[]): Promise<Trial>;
  /** Called with the prediction of a rung before it runs. */
  predicted(rung: { name: string; finding: string; gain: number; reasoning: string }): void;
  /** Called at the end of each rung. */
  onRung(rung: Rung): void;
  interrupted(): boolean;
  /** Seconds since the start. */
  elapsed(): number;
}

/** Rungs of a climb, bottom first. */
export type Climb = Pick<Ladder, "start" | "rungs" | "total" | "predictionError" | "stoppedBy"> & {
  readonly kept: readonly Change[];
};

/**
 * Applies advice one piece at a time, by decreasing predicted gain. Changes that are faster are kept. Others are undone and
 * tried once more after another change was kept, since removing one bottleneck may expose the next. Ends if there is no
 * untried advice, or no time for another rung.
 *
 * @param seconds time limit; no rung starts if a rung as long as the longest, and the final comparison, would exceed it
 */
export async function climb(climber: Climber, seconds: number): Promise<Climb> {
  let current = await climber.start();
  const start = stateOf(current);
  const rungs: Rung[] = [];
  const kept: Change[] = [];
  const tried = new Map<string, { times: number; since: number }>();
  let longest = climber.elapsed();
  let stoppedBy: Ladder["stoppedBy"] = "no advice";
  for (;;) {
    if (climber.interrupted()) {
      stoppedBy = "interrupted";
      break;
    }
    const finding = nextAdvice(current.findings, (key) => isOpen(tried.get(key), kept.length));
    if (finding === null) break;
    const began = climber.elapsed();
    if (began + 2 * longest > seconds) { // the rung, and the start against what is kept
      stoppedBy = "time";
      break;
    }
    const key = keyOf(finding);
    tried.set(key, { times: (tried.get(key)?.times ?? 0) + 1, since: kept.length });
    const name = finding.changes.map(({ path, to }) => `${path}=${textOf(to)}`).join(" ");
    climber.predicted({ name, finding: finding.kind, ...finding.predicted });
    const trial = await climber.try(kept, finding.changes);
    longest = Math.max(longest, climber.elapsed() - began);
    const final = trial.problem !== null || trial.above?.verdict === "faster" || trial.above?.status === "failed";
    if (final) tried.set(key, { times: MAX_TRIALS, since: kept.length });
    const before = { ...stateOf(trial.below ?? current), bound: stateOf(current).bound };
    const rung = judge(name, finding, before, trial, climber.interrupted());
    rungs.push(rung);
    climber.onRung(rung);
    if (rung.kept) {
      kept.push(...finding.changes);
      current = trial.above!;
    }
  }
  return { start, rungs, kept, total: totalOf(rungs), predictionError: predictionError(rungs), stoppedBy };
}

type Advice = Finding & { predicted: NonNullable<Finding["predicted"]> };

/** Settings whose product is the samples of a step, which changes the training and is left to the user. */
const SAMPLES: readonly string[] = ["loader.batchSize", "accumulate"];

/** Returns the untried advice with the largest predicted gain that consists of changes of settings, or null. */
function nextAdvice(findings: readonly Finding[], open: (key: string) => boolean): Advice | null {
  const possible = findings.filter((finding): finding is Advice =>
    finding.predicted !== null && finding.predicted.gain > 1 && finding.changes.length > 0 &&
    keepsSamples(finding) && open(keyOf(finding))
  );
  return possible.toSorted((a, b) => b.predicted.gain - a.predicted.gain)[0] ?? null;
}

/** Returns true if a step has as many samples with the changes as without. */
function keepsSamples({ changes }: Finding): boolean {
  const sizes = changes.filter(({ path }) => SAMPLES.includes(path));
  const product = (of: (change: Finding["changes"][number]) => unknown) =>
    sizes.reduce((samples, change) => samples * Number(of(change)), 1);
  return product(({ from }) => from) === product(({ to }) => to);
}

/** Returns true if advice last tried with `since` kept settings may be tried now. */
function isOpen(tried: { times: number; since: number } | undefined, kept: number): boolean {
  return tried === undefined || (tried.times < MAX_TRIALS && tried.since < kept);
}

const MAX_TRIALS = 2;

function keyOf({ changes }: Finding): string {
  return JSON.stringify(changes.map(({ path, to }) => [path, to]).sort());
}

function textOf(value: unknown): string {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `[${value.length} items]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function judge(
  name: string,
  finding: Advice,
  before: Rung["before"],
  { above, problem }: Trial,
  interrupted: boolean,
): Rung {
  const comparison = above?.comparison ?? null;
  const verdict = above?.verdict ?? null;
  const kept = verdict === "faster" && above?.status === "ok";
  return {
    name,
    finding: finding.kind,
    changes: finding.changes,
    predicted: finding.predicted,
    measured: comparison,
    before,
    after: above === null ? null : stateOf(above),
    kept,
    reason: reasonOf(comparison, above, problem, interrupted),
  };
}

function reasonOf(
  comparison: Comparison | null,
  above: VariantResult | null,
  problem: string | null,
  interrupted: boolean,
): string {
  if (problem !== null) return problem;
  if (above?.error) return above.error.message;
  if (comparison === null) return interrupted ? "interrupted before it was measured" : "not measured";
  return `${above!.verdict}: ${comparison.reason}`;
}

function stateOf({ metrics, queues, bottleneck, bound }: VariantResult): Ladder["start"] {
  const host = queues.host ?? [];
  return {
    ips: metrics.ips,
    iterationGap: metrics.iterationGap?.value ?? null,
    emptyQueue: host.length === 0 ? null : host.filter((depth) => depth === 0).length / host.length,
    bound: bottleneck?.byArms?.bound ?? bottleneck?.byRules?.bound ?? bound,
  };
}

/** Returns the product of the kept rungs' speed-ups. Variances of logarithms add up, since blocks are independent. */
function totalOf(rungs: readonly Rung[]): Ladder["total"] {
  const kept = rungs.flatMap((rung) => rung.kept && rung.measured !== null ? [rung.measured.speedup] : []);
  if (kept.length === 0) return null;
  const value = kept.reduce((product, { value }) => product * value, 1);
  const half = (edge: "low" | "high") =>
    kept.some((one) => one[edge] === null) ? null : Math.hypot(...kept.map((one) => Math.log(one[edge]! / one.value)));
  const [down, up] = [half("low"), half("high")];
  return {
    value,
    low: down === null ? null : value * Math.exp(-down),
    high: up === null ? null : value * Math.exp(up),
  };
}

/** Returns the median of |predicted - measured| / measured over all measured rungs, or null without any. */
function predictionError(rungs: readonly Rung[]): number | null {
  const errors = rungs.flatMap(({ predicted, measured }) =>
    measured === null ? [] : [Math.abs(predicted.gain - measured.speedup.value) / measured.speedup.value]
  );
  return errors.length === 0 ? null : median(errors);
}
