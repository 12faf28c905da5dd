import { errorResponse } from "./responses.ts";

/** Matches the names of this machine's loopback interface. A tunnel may have another port. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the refusal of a request, or null if it may be answered. A page elsewhere whose name an attacker points to this
 * machine (DNS rebinding) sends its own name as the host.
 */
export function refusal(request: Request, { host }: URL): Response | null {
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
