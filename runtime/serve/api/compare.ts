import { DEFAULT_METRICS } from "../../analysis/gates/default_metrics.ts";
import type { Reading } from "../../analysis/gates/reading.ts";
import type { MetricPair } from "../../analysis/run_comparison.ts";
import { compareKept, type RunWithResult } from "../../library/kept/compare_kept.ts";
import { StoreError } from "../../store/problems.ts";
import type { Store } from "../../store/store.ts";
import { type Context, findListed, needStore, RequestError } from "../context.ts";
import { type ComparedRun, type ComparePayload, MAX_COMPARED, type RunComparison } from "../payloads.ts";
import { jsonResponse } from "../responses.ts";

/** Responds with the comparison of each of several runs with the first one. */
export function compareRuns(context: Context, query: URLSearchParams): Response {
  const ids = [...new Set((query.get("runs") ?? "").split(",").filter((id) => id !== ""))];
  if (ids.length < 2 || ids.length > MAX_COMPARED) {
    throw new RequestError(
      400,
      `runs: expected 2 to ${MAX_COMPARED} different IDs separated by commas, got ${ids.length}`,
    );
  }
  const store = needStore(context);
  const found = ids.map((id) => readRun(context, store, id));
  const [first, ...others] = found.flatMap(({ whole }) => whole ?? []);
  const payload: ComparePayload = {
    runs: found.map(({ compared }) => compared),
    comparisons: first === undefined ? [] : others.map((other) => comparisonOf(first, other)),
  };
  return jsonResponse(payload);
}

interface FoundRun {
  readonly compared: ComparedRun;
  /** Null if it is not compared. */
  readonly whole: RunWithResult | null;
}

function readRun({ checks }: Context, store: Store, id: string): FoundRun {
  const listed = findListed(store, id);
  const without = (problem: string): FoundRun => ({ compared: { id, run: listed.run, problem }, whole: null });
  try {
    const run = store.run(id);
    const result = checks.read(store, listed);
    if (result === null) return without(`it is ${run.status} and has no result to compare`);
    return { compared: { id, run: listed.run, problem: null }, whole: { run, result } };
  } catch (error) {
    if (error instanceof StoreError) return without(checks.problemOf(listed) ?? error.message);
    throw error;
  }
}

function comparisonOf(then: RunWithResult, now: RunWithResult): RunComparison {
  const { environment, settings, variants } = compareKept(then, now, DEFAULT_METRICS);
  const finite = variants.map((variant) => ({ ...variant, metrics: variant.metrics.map(withFiniteChange) }));
  return { then: then.run.id, now: now.run.id, environment, settings, variants: finite };
}

/** Leaves out a change that JSON lacks: the ratio of extreme numbers is infinite. Values of blocks are not shown. */
function withFiniteChange({ metric, a, b, change }: MetricPair): MetricPair {
  const [first, second] = [withoutBlocks(a), withoutBlocks(b)];
  if (change === null || !Number.isFinite(change.value)) return { metric, a: first, b: second, change: null };
  const { low = NaN, high = NaN } = change.interval ?? {};
  const interval = Number.isFinite(low) && Number.isFinite(high) ? change.interval : null;
  return { metric, a: first, b: second, change: { ...change, interval } };
}

function withoutBlocks(reading: Reading | null): Reading | null {
  return reading?.kind === "number" ? { ...reading, blocks: null } : reading;
}
