import { StoreError } from "../store/problems.ts";
import { compareRuns } from "./api/compare.ts";
import { showHistory } from "./api/history.ts";
import { listRuns, showRun } from "./api/runs.ts";
import { type Context, RequestError } from "./context.ts";
import { programPage, reportPage } from "./report_page.ts";
import { errorResponse } from "./responses.ts";
import { shellResponse } from "./shell.ts";

/** Matches the names of this machine's loopback interface. A tunnel may have another port. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

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

/**
 * Returns the refusal of a request, or null if it may be answered. A page elsewhere whose name an attacker points to this
 * machine (DNS rebinding) sends its own name as the host.
 */
function refusal(request: Request, { host }: URL): Response | null {
  const named = request.headers.get("host");
  if (named === null) return errorResponse(400, "Refused: expected a Host header");
  if (!LOOPBACK.test(host) || !LOOPBACK.test(named)) {
    return errorResponse(421, "Refused: expected a request for 127.0.0.1 or localhost, got another host name");
  }
  if (isEmbedded(request)) return errorResponse(403, "Refused: a page of another origin may only link to this one");
  if (request.method === "GET" || request.method === "HEAD") return null;
  const refused = errorResponse(405, `Refused: expected GET, got ${request.method}`);
  refused.headers.set("allow", "GET, HEAD");
  return refused;
}

/** Returns true if a page elsewhere requests this as a part of itself, as browsers declare. */
function isEmbedded({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site") ?? "none";
  return site !== "none" && site !== "same-origin" && headers.get("sec-fetch-mode") !== "navigate";
}
