import { dirname, join } from "node:path";
import { z } from "zod";
import { hashText } from "../../core/random.ts";
import { cacheFolder } from "../../data/standin/cache.ts";
import type { AdapterInfo } from "../../device/adapter.ts";

/** Changes with how candidates are timed. */
const VERSION = 1;

/** What times hold for. */
const adapterSchema = z.strictObject({
  version: z.literal(VERSION),
  name: z.string(),
  backend: z.string().nullable(),
  driver: z.string().nullable(),
  deno: z.string(),
  /** Threads of a software adapter, as far as they are set. */
  threads: z.string().nullable(),
});

const entrySchema = z.strictObject({
  op: z.string(),
  /** The candidate that was the best. */
  chosen: z.string(),
  candidates: z.array(z.strictObject({ id: z.string(), name: z.string(), time: z.number().positive().nullable() })),
});

const fileSchema = z.strictObject({ adapter: adapterSchema, entries: z.record(z.string(), entrySchema) });

/** A file of times, be it of another version. */
const likenessSchema = z.looseObject({ adapter: z.looseObject({}), entries: z.looseObject({}) });

export type TuningEntry = z.infer<typeof entrySchema>;

/** Times of candidates, kept from run to run: one file for each adapter, or one that the user names. */
export class TuningCache {
  readonly file: string;
  /** Whether the user named it. */
  readonly #named: boolean;
  readonly #adapter: z.infer<typeof adapterSchema>;
  readonly #warn: (message: string) => void;

  constructor(info: AdapterInfo, file: string | null, onWarning: (message: string) => void) {
    const threads = info.fallback ? Deno.env.get("LP_NUM_THREADS") ?? null : null;
    const { name, backend, driver } = info;
    this.#adapter = { version: VERSION, name, backend, driver, deno: Deno.version.deno, threads };
    const own = hashText(JSON.stringify(this.#adapter)).toString(16).padStart(8, "0");
    this.#named = file !== null;
    this.file = file ?? join(cacheFolder(), `tuning-${own}.json`);
    this.#warn = onWarning;
  }

  /** What the file holds for this adapter; nothing, with a warning, where it is broken or another adapter's. */
  async load(): Promise<Map<string, TuningEntry>> {
    return (await this.#read(this.#warn)).entries;
  }

  /** `foreign`: a file that the user named holds something else, which they may not want to lose. */
  async #read(
    warn: (message: string) => void,
  ): Promise<{ readonly entries: Map<string, TuningEntry>; readonly foreign: boolean }> {
    const none = { entries: new Map<string, TuningEntry>(), foreign: false };
    let text: string;
    try {
      text = await Deno.readTextFile(this.file);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) warn(`${this.file} cannot be read (${messageOf(error)})`);
      return none;
    }
    const content = parsed(text);
    const { data } = fileSchema.safeParse(content);
    if (data === undefined) {
      const foreign = this.#named && text.trim() !== "" && !likenessSchema.safeParse(content).success;
      const kept = foreign ? ", and it is left as it is: name another file to keep them" : "";
      warn(`${this.file} does not hold the times of kernels; they are timed anew${kept}`);
      return { ...none, foreign };
    }
    const { adapter, entries } = data;
    if (JSON.stringify(adapter) === JSON.stringify(this.#adapter)) {
      return { entries: new Map(Object.entries(entries)), foreign: false };
    }
    warn(`${this.file} was made on ${adapter.name} with Deno ${adapter.deno}; kernels are timed anew`);
    return none;
  }

  /**
   * Adds entries to the file, unless it is one of the user's that holds something else. It is written whole or not at all,
   * since other runs may read it at the same time.
   */
  async save(added: ReadonlyMap<string, TuningEntry>): Promise<void> {
    if (added.size === 0) return;
    // What is wrong with the file was said when it was loaded
    const { entries: known, foreign } = await this.#read(() => {});
    if (foreign) return;
    const entries = Object.fromEntries([...known, ...added]);
    const part = `${this.file}.${Deno.pid}`;
    try {
      await Deno.mkdir(dirname(this.file), { recursive: true });
      await Deno.writeTextFile(part, JSON.stringify({ adapter: this.#adapter, entries }, null, 1) + "\n");
      await Deno.rename(part, this.file);
    } catch (error) {
      await Deno.remove(part).catch(() => {});
      this.#warn(`The times of kernels cannot be kept in ${this.file} (${messageOf(error)})`);
    }
  }
}

/** What a text holds as JSON; nothing where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
