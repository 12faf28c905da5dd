import { printableJson } from "../core/printable.ts";
import type { ErrorPayload } from "./payloads.ts";

/** Headers of every response: nothing is kept, framed, embedded elsewhere, or taken for another type. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Responds with a page under a content security policy. */
export function htmlResponse(status: number, html: string, policy: string): Response {
  return respond(status, html, "text/html; charset=utf-8", policy);
}

export function jsonResponse(value: unknown, status = 200): Response {
  return respond(status, printableJson(value, 0), "application/json", "default-src 'none'");
}

export function errorResponse(status: number, error: string): Response {
  const payload: ErrorPayload = { error };
  return jsonResponse(payload, status);
}

/** Responds that nothing has changed. */
export function unchangedResponse(): Response {
  return new Response(null, { status: 204, headers: HEADERS });
}

function respond(status: number, body: string, type: string, policy: string): Response {
  const headers = {
    ...HEADERS,
    "content-type": type,
    "content-security-policy": `${policy}; frame-ancestors 'none'`,
  };
  return new Response(body, { status, headers });
}
