import { jsonResponse, unchangedResponse } from "../responses.ts";
import { type Context, findListed, needStore, RequestError } from "../context.ts";
import type { RunPayload, RunsPayload } from "../payloads.ts";

/** Default number of runs in a list. */
const DEFAULT_LIMIT = 500;

/** Responds with the list of runs, or that it has not changed since `version`. */
export function listRuns({ runs, checks }: Context, query: URLSearchParams): Response {
  const version = `${runs.version()} ${checks.found}`;
  if (query.get("version") === version) return unchangedResponse();
  const { store } = runs;
  const limit = limitOf(query.get("limit"));
  const listed = store?.listing.runs(limit) ?? [];
  checks.check(listed);
  const { programs, damaged } = store?.listing.programs() ?? { programs: [], damaged: [] };
  const problems = [
    ...store?.stale ? [`${store.file} is not writable, and its latest runs are invisible until it is`] : [],
    ...damaged.map((id) => `attached program ${id} is left out: it is damaged`),
  ];
  const payload: RunsPayload = {
    version,
    folder: runs.folder,
    runs: listed.map((run) => ({ ...run, problem: run.problem ?? checks.problemOf(run) })),
    total: store?.listing.count() ?? 0,
    programs,
    problem: problems.length === 0 ? null : problems.join(". "),
  };
  return jsonResponse(payload);
}

/** Responds with the state of a run. */
export function showRun(context: Context, id: string): Response {
  const store = needStore(context);
  const listed = findListed(store, id);
  const problem = listed.problem ?? context.checks.problemOf(listed);
  const payload: RunPayload = { listed: { ...listed, problem }, hasReport: listed.hasResult && problem === null };
  return jsonResponse(payload);
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RequestError(400, `limit: expected a whole number of at least 1, got "${text}"`);
}
