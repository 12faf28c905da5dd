/** Address of a run's report. */
export function runAddress(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

/** Address of an attached program's report. */
export function programAddress(id: string): string {
  return `/programs/${encodeURIComponent(id)}`;
}

/** Address of a comparison of runs with the first of them. */
export function compareAddress(ids: readonly string[]): string {
  return `/compare?runs=${ids.map(encodeURIComponent).join(",")}`;
}

/** Parameters of a history; the server chooses those that are missing. */
export interface HistoryParameters {
  readonly scenario?: string;
  readonly variant?: string;
  readonly metric?: string;
  readonly adapter?: string | null;
}

/** Address of the history of a metric. */
export function historyAddress(parameters: HistoryParameters, base = "/history"): string {
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([key, value]) => value === null || value === undefined ? [] : [[key, value]]),
  ).toString();
  return query === "" ? base : `${base}?${query}`;
}
