import { InputError } from "../../core/errors.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStoreToRead, type Store } from "../../store/store.ts";

/** Opens the store that a command looks into; null where nothing is kept yet. */
export function findStore(folder: string | undefined): Store | null {
  const store = openStoreToRead(storeFolder(folder));
  if (store?.stale) {
    console.error(`warning: ${store.file} cannot be written, and its latest runs cannot be seen until it can`);
  }
  return store;
}

/**
 * Opens the store that a command needs a run of.
 *
 * @throws {InputError} where there is none
 */
export function needStore(folder: string | undefined): Store {
  const store = findStore(folder);
  if (store !== null) return store;
  throw new InputError(`${nothingKept(folder)}; runs are kept unless --no-store says otherwise`);
}

/** Says that there is no store. */
export function nothingKept(folder: string | undefined): string {
  return `No run is kept in ${storeFolder(folder)} yet`;
}
