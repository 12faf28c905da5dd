import { StoreError } from "../store/problems.ts";
import { compareRuns } from "./api/compare.ts";
import { showHistory } from "./api/history.ts";
import { listRuns, showRun } from "./api/runs.ts";
import { type Context, RequestError } from "./context.ts";
import { refusal } from "./guard.ts";
import { programPage, reportPage } from "./report_page.ts";
import { errorResponse } from "./responses.ts";
import { shellResponse } from "./shell.ts";

/** Answers a request for a path; `name` is the part of the path that the pattern captures. */
type Answer = (context: Context, query: URLSearchParams, name: string) => Response;

/** Addresses and their answers. */
const ROUTES: readonly (readonly [RegExp, Answer])[] = [
  [/^\/(?:compare|history)?$/, () => shellResponse()],
  [/^\/runs\/([^/]+)$/, (context, _, id) => reportPage(context, id)],
  [/^\/programs\/([^/]+)$/, (context, _, id) => programPage(context, id)],
  [/^\/api\/runs$/, (context, query) => listRuns(context, query)],
  [/^\/api\/runs\/([^/]+)$/, (context, _, id) => showRun(context, id)],
  [/^\/api\/compare$/, (context, query) => compareRuns(context, query)],
  [/^\/api\/history$/, (context, query) => showHistory(context, query)],
];

/** Answers a request. */
export function answer(context: Context, request: Request): Response {
  const url = URL.parse(request.url);
  if (url === null) return errorResponse(400, "Refused: expected an address with a valid host name");
  const refused = refusal(request, url);
  if (refused !== null) return refused;
  const { pathname, searchParams } = url;
  try {
    for (const [pattern, respond] of ROUTES) {
      const match = pathname.match(pattern);
      if (match !== null) return respond(context, searchParams, match[1] ?? "");
    }
    throw new RequestError(404, `Nothing is at ${pathname}; the runs are at /`);
  } catch (error) {
    const status = error instanceof RequestError ? error.status : error instanceof StoreError ? 500 : null;
    if (status === null) throw error;
    const { message } = error as Error;
    return pathname.startsWith("/api/") ? errorResponse(status, message) : shellResponse({ status, text: message });
  }
}
