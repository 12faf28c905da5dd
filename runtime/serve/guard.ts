import { errorResponse } from "./responses.ts";

/** Names of this machine's loopback interface. A tunnel may have another port. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Returns the refusal of a request, or null if it may be answered. A page elsewhere whose name an attacker points to this
 * machine (DNS rebinding) sends its own name as the host.
 */
export function refusal(request: Request): Response | null {
  if (!isLoopback(request)) {
    return errorResponse(421, "Refused: expected a request for 127.0.0.1 or localhost, got another host name");
  }
  if (isEmbedded(request)) return errorResponse(403, "Refused: a page of another origin may only link to this one");
  if (request.method === "GET") return null;
  const refused = errorResponse(405, `Refused: expected GET, got ${request.method}`);
  refused.headers.set("allow", "GET");
  return refused;
}

/** Returns true if a page elsewhere requests this as a part of itself, as browsers declare. */
function isEmbedded({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site") ?? "none";
  return site !== "none" && site !== "same-origin" && headers.get("sec-fetch-mode") !== "navigate";
}

function isLoopback({ url, headers }: Request): boolean {
  const host = headers.get("host");
  return LOOPBACK.has(new URL(url).hostname) &&
    (host === null || LOOPBACK.has(host.replace(/:\d+$/, "").toLowerCase()));
}
