import { StoreError } from "../store/problems.ts";
import { openStoreToRead, type Store } from "../store/store.ts";

/** The store that is served: opened when first needed, and again after its file was moved or replaced. */
export class KeptRuns implements Disposable {
  readonly folder: string;
  /** Distinguishes the versions of this server from those of one before it. */
  readonly #session = crypto.randomUUID();
  #store: Store | null = null;
  #opened = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Returns the store, or null if nothing is kept yet.
   *
   * @throws {StoreError} if it is unusable
   */
  get store(): Store | null {
    if (this.#store !== null && isMoved(this.#store)) this[Symbol.dispose]();
    if (this.#store !== null) return this.#store;
    this.#opened++;
    return this.#store = openStoreToRead(this.folder);
  }

  /** Returns a text that differs once the list of runs may differ. */
  version(): string {
    const version = this.store?.listing.version() ?? "none";
    return `${this.#session} ${this.#opened} ${version}`;
  }

  [Symbol.dispose](): void {
    this.#store?.close();
    this.#store = null;
  }
}

function isMoved(store: Store): boolean {
  try {
    store.checkPlace();
    return false;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
