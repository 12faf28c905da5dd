/// <reference lib="dom" />
import type { ErrorPayload } from "../payloads.ts";

/** Time between two requests for a list that may change, in ms. */
const PERIOD_MS = 2000;

const SERVER_ENDED = "the server does not answer; start tacho serve again";

/**
 * Requests JSON; null if it has not changed.
 *
 * @throws {Error} with the server's message
 */
export async function request<T>(path: string): Promise<T | null> {
  let response: Response;
  try {
    response = await fetch(path);
  } catch {
    throw new Error(SERVER_ENDED);
  }
  if (response.status === 204) return null;
  const payload: unknown = await response.json();
  if (!response.ok) throw new Error((payload as ErrorPayload).error);
  return payload as T;
}

/** Requests JSON now, and again every two seconds while the page is visible. Returns a function that requests it at once. */
export function follow<T>(
  path: () => string,
  { onPayload, onProblem }: {
    readonly onPayload: (payload: T) => void;
    /** Called with a message, and with null once requests succeed again. */
    readonly onProblem: (problem: string | null) => void;
  },
): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const ask = async () => {
    timer = null;
    try {
      const payload = document.hidden ? null : await request<T>(path());
      onProblem(null);
      if (payload !== null) onPayload(payload);
    } catch (error) {
      onProblem((error as Error).message);
    }
    timer = setTimeout(ask, PERIOD_MS);
  };
  const refresh = () => {
    if (document.hidden || timer === null) return;
    clearTimeout(timer);
    void ask();
  };
  document.addEventListener("visibilitychange", refresh);
  void ask();
  return refresh;
}
