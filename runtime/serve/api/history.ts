import { GATE_METRICS } from "../../analysis/gates/gate_metrics.ts";
import { suggestion } from "../../core/nearest.ts";
import { findChanges, type HistoryChange } from "../../library/kept/history_changes.ts";
import { StoreError } from "../../store/problems.ts";
import type { HistoryPoint, Subject } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { type Context, needStore, RequestError } from "../context.ts";
import type { HistoryPayload } from "../payloads.ts";
import { jsonResponse } from "../responses.ts";

/** Largest number of runs, the latest. */
const MAX_RUNS = 200;

const DEFAULT_METRIC = "ips";

/** Responds with a metric over the runs of a scenario; by default, the throughput of the latest scenario's first variant. */
export function showHistory(context: Context, query: URLSearchParams): Response {
  const store = needStore(context);
  const subjects = store.listing.subjects();
  const metric = query.get("metric") ?? DEFAULT_METRIC;
  if (!GATE_METRICS.includes(metric)) {
    throw new RequestError(400, `metric: unknown metric "${metric}"${suggestion(metric, GATE_METRICS)}`);
  }
  const { scenario, variant } = subjectOf(subjects, query.get("scenario"), query.get("variant"));
  const adapter = query.get("adapter") || null;
  const { points, damaged } = store.listing.history(metric, { scenario, variant, adapter, limit: MAX_RUNS });
  const { changes, problems } = changesOf(store, metric, points);
  const payload: HistoryPayload = {
    ...{ metric, scenario, variant, adapter },
    metrics: GATE_METRICS,
    subjects,
    adapters: store.listing.adapters(scenario),
    points,
    isCut: points.length + damaged.length === MAX_RUNS,
    changes,
    problems: [...problems, ...damaged.map((id) => `run ${id} is left out: it is damaged`)],
  };
  return jsonResponse(payload);
}

function subjectOf(
  subjects: readonly Subject[],
  scenario: string | null,
  variant: string | null,
): { readonly scenario: string; readonly variant: string } {
  const [latest] = subjects;
  if (latest === undefined) throw new RequestError(404, "No kept run has a result yet");
  const found = subjects.find((one) => scenario === null || one.scenario === scenario);
  if (found === undefined) {
    const known = suggestion(scenario!, subjects.map((one) => one.scenario));
    throw new RequestError(404, `scenario: no kept run with a result has the scenario "${scenario}"${known}`);
  }
  const named = variant ?? found.variants[0]!;
  if (found.variants.includes(named)) return { scenario: found.scenario, variant: named };
  const known = suggestion(named, found.variants);
  throw new RequestError(404, `variant: no kept run of ${found.scenario} has a variant "${named}"${known}`);
}

function changesOf(
  store: Store,
  metric: string,
  points: readonly HistoryPoint[],
): { readonly changes: readonly HistoryChange[]; readonly problems: readonly string[] } {
  try {
    return { changes: findChanges(metric, points, (id) => store.run(id).environment), problems: [] };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { changes: [], problems: [`changes are not shown: ${error.message}`] };
  }
}
