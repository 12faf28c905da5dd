import { join } from "node:path";
import { writeFile } from "../../core/files.ts";

/** Realms that are recorded; a page that makes more is not recorded further. */
const MAX_REALMS = 5000;

/** Bytes of all records; the rest is left out. */
const MAX_BYTES = 2 ** 29;

/** A context in which scripts of the page run. */
interface Context {
  readonly session: string;
  /** Name by which the browser evaluates in it. */
  readonly unique: string;
  readonly file: string;
}

/** Files for the records of a page's realms, and the contexts that write them. */
export class RealmFiles {
  readonly #folder: string;
  readonly #contexts = new Map<string, Context>();
  #realms = 0;
  #bytes = 0;
  #full = false;

  /** @param folder folder for the files */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True if records were left out. */
  get full(): boolean {
    return this.#full;
  }

  /** Live contexts. */
  get contexts(): readonly Context[] {
    return [...this.#contexts.values()];
  }

  /** Begins a context of a target's session. Its number may be used again after it ended. */
  begin(session: string, id: number, unique: string): void {
    if (this.#realms >= MAX_REALMS) {
      this.#full = true;
      return;
    }
    const file = join(this.#folder, `${this.#realms++}.jsonl`);
    this.#contexts.set(`${session} ${id}`, { session, unique, file });
  }

  /** Ends a context, or all of a session. */
  end(session: string, id?: number): void {
    if (id !== undefined) {
      this.#contexts.delete(`${session} ${id}`);
      return;
    }
    for (const [key, context] of this.#contexts) if (context.session === session) this.#contexts.delete(key);
  }

  /** Appends records of a context. */
  write(session: string, id: number, text: string): void {
    const context = this.#contexts.get(`${session} ${id}`);
    this.#bytes += 2 * text.length;
    if (this.#bytes > MAX_BYTES) this.#full = true;
    if (context === undefined || this.#full) return;
    writeFile(context.file, text, { append: true, create: true });
  }
}
