import type { Change, Comparison, Finding, Ladder, Rung, VariantResult } from "../../result/schema.ts";
import { predictionError } from "./prediction.ts";

/** The settings of a rung against those of the rung below. */
export interface Trial {
  /** Null where nothing was run. */
  readonly below: VariantResult | null;
  /** Null where the changed settings cannot be run, for the reason beside it. */
  readonly above: VariantResult | null;
  readonly problem: string | null;
}

/** What the climb asks of the rest. */
export interface Climber {
  /** Measures settings alone, for the first advice. */
  start(): Promise<VariantResult>;
  /** Measures the settings with `kept` against those with `kept` and `changes`, and finds advice for the latter. */
  try(kept: readonly Change[], changes: readonly Change[]): Promise<Trial>;
  /** Told of a rung's prediction before it is run. */
  predicted(rung: { name: string; finding: string; gain: number; reasoning: string }): void;
  /** Told of each rung as it ends. */
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
 * Applies advice one piece at a time, the one that promises most first. What is faster stays; what is not is undone, and
 * tried once more when another setting has been kept: what was hidden behind one bottleneck may be the next. Ends when
 * there is no untried advice, or no time for another rung.
 *
 * @param seconds no rung is begun when as long as the longest so far, and the last comparison, would overrun this
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
    if (final) tried.set(key, { times: MOST_TRIALS, since: kept.length });
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

/** Settings that change what is trained; whether that is welcome is for the reader to say. */
const LEFT_TO_THE_READER: readonly string[] = ["loader.batchSize"];

/** The untried piece of advice that promises most and that a setting can follow. */
function nextAdvice(findings: readonly Finding[], open: (key: string) => boolean): Advice | null {
  const possible = findings.filter((finding): finding is Advice =>
    finding.predicted !== null && finding.predicted.gain > 1 && finding.changes.length > 0 &&
    !finding.changes.some(({ path }) => LEFT_TO_THE_READER.includes(path)) && open(keyOf(finding))
  );
  return possible.toSorted((a, b) => b.predicted.gain - a.predicted.gain)[0] ?? null;
}

/** Whether advice may be tried that was last tried when `since` settings had been kept. */
function isOpen(tried: { times: number; since: number } | undefined, kept: number): boolean {
  return tried === undefined || (tried.times < MOST_TRIALS && tried.since < kept);
}

const MOST_TRIALS = 2;

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

/** The product of the kept rungs' speed-ups; their logarithms' variances add up, since each has blocks of its own. */
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
