import { join } from "node:path";
import { z } from "zod";
import { readText, writeFile } from "../../core/files.ts";

const entrySchema = z.strictObject({
  hash: z.string(),
  outcome: z.enum(["good", "bad", "skip"]),
  /** Sentence on the outcome. */
  why: z.string(),
});

/** A tested commit. */
export type BisectEntry = z.infer<typeof entrySchema>;

const logSchema = z.strictObject({ version: z.literal(1), key: z.string(), entries: z.array(entrySchema) });

/** File in the repository's git folder. */
const FILE = "tacho-bisect.json";

/** Outcomes of a bisection, kept in the git folder, so that an interrupted one goes on where it was. */
export class BisectLog {
  readonly #file: string;
  readonly #key: string;
  readonly entries: BisectEntry[];

  private constructor(file: string, key: string, entries: BisectEntry[]) {
    this.#file = file;
    this.#key = key;
    this.entries = entries;
  }

  /**
   * Opens the log of a bisection, with what an earlier one of the same commits, command and options has found.
   *
   * @param question everything that the outcomes depend on
   */
  static open(gitFolder: string, question: unknown, { restart }: { restart: boolean }): BisectLog {
    const [file, key] = [join(gitFolder, FILE), JSON.stringify(question)];
    if (restart) return new BisectLog(file, key, []);
    try {
      const log = logSchema.parse(JSON.parse(readText(file)));
      return new BisectLog(file, key, log.key === key ? log.entries : []);
    } catch {
      return new BisectLog(file, key, []); // none, or damaged
    }
  }

  find(hash: string): BisectEntry | undefined {
    return this.entries.find((entry) => entry.hash === hash);
  }

  add(entry: BisectEntry): void {
    this.entries.push(entry);
    writeFile(this.#file, `${JSON.stringify({ version: 1, key: this.#key, entries: this.entries })}\n`);
  }

  /** Removes the log of a bisection that is done. */
  async remove(): Promise<void> {
    await Deno.remove(this.#file).catch(() => {});
  }
}
