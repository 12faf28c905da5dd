import type { PageRecord } from "../records.ts";
import { scope } from "./scope.ts";

/** Time in which steps of the clock are looked for, in ms. */
const SEARCH = 2;

/** Steps of the clock after which the smallest is known. */
const ENOUGH = 8;

/** Describes the page or worker that a recorder runs in. */
export function pageRecord(now: () => number): PageRecord {
  const { isSecureContext: secure, crossOriginIsolated: isolated = false } = scope;
  return {
    kind: "page",
    url: location.href,
    userAgent: navigator.userAgent,
    ...{ isolated, secure, hasWebGPU: "gpu" in navigator },
    clockStep: clockStep(now),
  };
}

/** Returns the step of the host's clock in ms; null if it does not advance. */
function clockStep(now: () => number): number | null {
  const start = now();
  let [last, smallest, steps] = [start, Infinity, 0];
  // A clock that stands still is left after some looks
  for (let looks = 0; looks < 200_000 && steps < ENOUGH && last - start < SEARCH; looks++) {
    const time = now();
    if (time === last) continue;
    smallest = Math.min(smallest, time - last);
    last = time;
    steps++;
  }
  return Number.isFinite(smallest) ? Math.round(smallest * 1e6) / 1e6 : null;
}
