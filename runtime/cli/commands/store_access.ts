import { InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStoreToRead, type Store } from "../../store/store.ts";
import { warn } from "../terminal.ts";

/** Opens the store for reading, or returns null if it does not exist yet. */
export function findStore(folder: string | undefined): Store | null {
  const store = openStoreToRead(storeFolder(folder));
  if (store?.stale) {
    warn(`${store.file} is not writable, and its latest runs are invisible until it is`);
  }
  return store;
}

/**
 * Opens the store for reading.
 *
 * @throws {InputError} if it does not exist
 */
export function needStore(folder: string | undefined): Store {
  const store = findStore(folder);
  if (store !== null) return store;
  throw new InputError(`${nothingKept(folder)}; runs are kept unless --no-store is given`);
}

/** Returns the message for a missing store. */
export function nothingKept(folder: string | undefined): string {
  return `No runs are kept in ${storeFolder(folder)} yet`;
}

/** Warns of a run that is left out. */
export function leftOut(id: string): void {
  warn(`run ${printable(id)} is left out: its row in the store is damaged`);
}
