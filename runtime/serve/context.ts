import type { ListedRun } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { isRunId } from "../store/run_name.ts";
import type { KeptRuns } from "./kept_runs.ts";
import type { ResultChecks } from "./result_checks.ts";

/** What every request may use. */
export interface Context {
  readonly runs: KeptRuns;
  readonly checks: ResultChecks;
}

/** A request for something that does not exist, or that is malformed. */
export class RequestError extends Error {
  override name = "RequestError";
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns the store.
 *
 * @throws {RequestError} if nothing is kept yet
 */
export function needStore({ runs }: Context): Store {
  const { store } = runs;
  if (store === null) throw new RequestError(404, `No runs are kept in ${runs.folder} yet`);
  return store;
}

/**
 * Finds a run by its whole ID.
 *
 * @throws {RequestError} if there is none
 */
export function findListed(store: Store, id: string): ListedRun {
  const listed = isRunId(id) ? store.listing.run(id) : null;
  if (listed === null) throw new RequestError(404, `Unknown run "${id}"; the list of runs has all IDs`);
  return listed;
}
