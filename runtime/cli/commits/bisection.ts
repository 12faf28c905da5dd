import { join } from "node:path";
import { z } from "zod";
import { readText, writeFile } from "../../core/files.ts";

/** Outcome of a test of one commit. `skip`: it cannot be tested, or no verdict was reached. */
export type Outcome = "good" | "bad" | "skip";

/** End of a bisection. */
export interface Found {
  /** Index of the first bad commit; with `suspects`, that of the first commit known to be bad. */
  readonly first: number;
  /** Indices of skipped commits before it, one of which may be the first bad one; ascending. */
  readonly suspects: readonly number[];
}

/**
 * Finds the first bad of consecutive commits, given that the last is bad. A skipped commit is replaced by the nearest one that
 * was not.
 *
 * @param count number of commits, oldest first
 * @param test called with the index of a commit
 */
export async function bisect(count: number, test: (index: number) => Promise<Outcome>): Promise<Found> {
  let [good, bad] = [-1, count - 1];
  const skipped = new Set<number>();
  for (;;) {
    const middle = (good + bad) / 2;
    const left = Array.from({ length: bad - good - 1 }, (_, i) => good + 1 + i).filter((index) => !skipped.has(index));
    const next = left.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
    if (next === undefined) break;
    const outcome = await test(next);
    if (outcome === "skip") skipped.add(next);
    else if (outcome === "good") good = next;
    else bad = next;
  }
  return { first: bad, suspects: [...skipped].filter((index) => index > good && index < bad).sort((a, b) => a - b) };
}

/** Returns the number of tests that are left at most, without skipped commits. */
export function testsLeft(count: number): number {
  return Math.ceil(Math.log2(Math.max(1, count)));
}

const entrySchema = z.strictObject({
  hash: z.string(),
  outcome: z.enum(["good", "bad", "skip"]),
  /** Sentence on the outcome. */
  why: z.string(),
});

/** A tested commit. */
type BisectEntry = z.infer<typeof entrySchema>;

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
