import { z } from "zod";
import { readTextIfAny } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import type { AdapterInfo } from "../../device/adapter.ts";
import { adapterFile, softwareThreads, writeAtomically } from "../adapter_file.ts";

/** Version of the timing method. */
const VERSION = 1;

/** Adapter and environment for which times are valid. */
const adapterSchema = z.strictObject({
  version: z.literal(VERSION),
  name: z.string(),
  backend: z.string().nullable(),
  driver: z.string().nullable(),
  deno: z.string(),
  /** Thread count of a software adapter, if it is set. */
  threads: z.string().nullable(),
});

const entrySchema = z.strictObject({
  op: z.string(),
  /** ID of the chosen candidate. */
  chosen: z.string(),
  candidates: z.array(z.strictObject({ id: z.string(), name: z.string(), time: z.number().positive().nullable() })),
});

const fileSchema = z.strictObject({ adapter: adapterSchema, entries: z.record(z.string(), entrySchema) });

/** A cache file of any version. */
const likenessSchema = z.looseObject({ adapter: z.looseObject({}), entries: z.looseObject({}) });

export type TuningEntry = z.infer<typeof entrySchema>;

/** Times of candidates, kept across runs: one file for each adapter, or a file named by the user. */
export class TuningCache {
  readonly file: string;
  /** True if the user named the file. */
  readonly #named: boolean;
  readonly #adapter: z.infer<typeof adapterSchema>;
  readonly #warn: (message: string) => void;

  constructor(info: AdapterInfo, file: string | null, onWarning: (message: string) => void) {
    const { name, backend, driver } = info;
    this.#adapter = {
      version: VERSION,
      name,
      backend,
      driver,
      deno: Deno.version.deno,
      threads: softwareThreads(info),
    };
    this.#named = file !== null;
    this.file = file ?? adapterFile("tuning", this.#adapter);
    this.#warn = onWarning;
  }

  /** Returns the entries for this adapter. A broken file or another adapter's gives none, with a warning. */
  load(): Map<string, TuningEntry> {
    return this.#read(this.#warn).entries;
  }

  /** Reads the file. `foreign`: a file named by the user is not a cache file and must not be overwritten. */
  #read(
    warn: (message: string) => void,
  ): { readonly entries: Map<string, TuningEntry>; readonly foreign: boolean } {
    const none = { entries: new Map<string, TuningEntry>(), foreign: false };
    let text: string | null;
    try {
      text = readTextIfAny(this.file);
    } catch (error) {
      warn(reasonOf(error));
      return none;
    }
    if (text === null) return none;
    const content = parsed(text);
    const { data } = fileSchema.safeParse(content);
    if (data === undefined) {
      const foreign = this.#named && text.trim() !== "" && !likenessSchema.safeParse(content).success;
      const kept = foreign ? ", and the file is left as it is: name another file to keep the times" : "";
      warn(`${this.file} does not hold the times of kernels; timing them again${kept}`);
      return { ...none, foreign };
    }
    const { adapter, entries } = data;
    if (JSON.stringify(adapter) === JSON.stringify(this.#adapter)) {
      return { entries: new Map(Object.entries(entries)), foreign: false };
    }
    warn(`${this.file} was made on ${adapter.name} with Deno ${adapter.deno}; timing kernels again`);
    return none;
  }

  /** Adds entries to the file, unless the user named a file that is not a cache file. */
  async save(added: ReadonlyMap<string, TuningEntry>): Promise<void> {
    if (added.size === 0) return;
    // Loading the file has already warned about it
    const { entries: known, foreign } = this.#read(() => {});
    if (foreign) return;
    const entries = Object.fromEntries([...known, ...added]);
    try {
      await writeAtomically(this.file, JSON.stringify({ adapter: this.#adapter, entries }, null, 1) + "\n");
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable && !this.#named) return; // as in a sandbox
      this.#warn(`Cannot write the times of kernels to ${this.file} (${reasonOf(error)})`);
    }
  }
}

/** Returns the value of a JSON text, or undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
