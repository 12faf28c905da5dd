import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import { storeFolder } from "../../store/folder.ts";
import { isRunName } from "../../store/run_name.ts";
import { openStoreToRead } from "../../store/store.ts";

/** Name of the command, with which the arguments of its kept runs begin. */
export const VERSUS = "versus";

/** A kept run of `tacho versus`. */
export interface KeptComparison {
  readonly run: RunRecord;
  /** Result; null if the run did not end. */
  readonly result: Result | null;
}

/** Returns true for a run of `tacho versus`, whose arguments begin with the name of the command. */
export function isComparison({ script, args }: Pick<RunRecord, "script" | "args">): boolean {
  return script === null && args[0] === VERSUS;
}

/**
 * Returns a kept run of `tacho versus`; null for any other run, and for the name of a lock file.
 *
 * @param folder folder of the store, if not the default
 * @throws {InputError} if there is no such run
 */
export function keptComparison(name: string, folder: string | undefined): KeptComparison | null {
  if (!isRunName(name)) return null;
  using store = openStoreToRead(storeFolder(folder));
  if (store === null) return null;
  const id = store.resolve(name);
  const run = store.run(id);
  return isComparison(run) ? { run, result: store.result(id) } : null;
}
