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
  if (request.method === "GET") return null;
  const refused = errorResponse(405, `Refused: expected GET, got ${request.method}`);
  refused.headers.set("allow", "GET");
  return refused;
}

function isLoopback({ url, headers }: Request): boolean {
  const host = headers.get("host");
  return LOOPBACK.has(new URL(url).hostname) &&
    (host === null || LOOPBACK.has(host.replace(/:\d+$/, "").toLowerCase()));
}
