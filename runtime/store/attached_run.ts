/**
 * Results of programs that Tacho was attached to. They have no variants and no baselines, so they are apart from runs of
 * scenarios.
 *
 * @module
 */
import { z } from "zod";
import { parseFirst, parseJson } from "../core/strangers_json.ts";
import { timeSchema } from "../result/time.ts";
import type { Database, Row } from "./database.ts";
import { pack, unpack } from "./packing.ts";
import { StoreError } from "./problems.ts";
import { createRunId, nextRunTime } from "./run_name.ts";

/** One row of the list of attached programs. Times are in ms since 1970. */
export interface AttachedRun {
  readonly id: string;
  readonly started: number;
  readonly ended: number;
  /** Status of the program. */
  readonly status: number;
  readonly command: readonly string[];
  readonly cwd: string;
  /** Adapter of the first device; null without one. */
  readonly adapter: string | null;
  readonly tacho: string;
  readonly deno: string;
}

/** Columns of a run, in the order of {@linkcode keepAttached}. */
const COLUMNS = "id, started, ended, status, command, cwd, adapter, tacho, deno";

/** Keeps a result, and returns the ID of its run. */
export function keepAttached(db: Database, run: Omit<AttachedRun, "id">, result: unknown): string {
  const id = createRunId(nextRunTime());
  const { started, ended, status, command, cwd, adapter, tacho, deno } = run;
  db.transaction(() => {
    const sql = `INSERT INTO attached (${COLUMNS}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    db.run(sql, id, started, ended, status, JSON.stringify(command), cwd, adapter, tacho, deno, pack(result));
  });
  return id;
}

/** Selection of attached programs. */
export interface AttachedFilter {
  /** Part of the ID, the command, the folder or the adapter. */
  readonly text?: string | undefined;
  /** Part of the adapter's name. */
  readonly adapter?: string | undefined;
  /** Earliest start, in ms since 1970. */
  readonly since?: number | undefined;
  /** Largest number of programs. */
  readonly limit?: number | undefined;
}

/**
 * Returns the attached programs that match, the latest first.
 *
 * @param onDamage takes the IDs of programs that are left out, since their rows cannot be read
 */
export function attachedRuns(
  db: Database,
  { text, adapter, since, limit }: AttachedFilter,
  onDamage: (id: string) => void,
): AttachedRun[] {
  const has = (part: string | undefined, words: readonly (string | null)[]) =>
    part === undefined || words.some((word) => word?.toLowerCase().includes(part.toLowerCase()));
  return db.all(`SELECT ${COLUMNS} FROM attached ORDER BY started DESC, id DESC`)
    .flatMap((row) => readable(row, onDamage))
    .filter((run) => has(text, [run.id, run.command.join(" "), run.cwd, run.adapter]) && has(adapter, [run.adapter]))
    .filter(({ started }) => since === undefined || started >= since)
    .slice(0, limit);
}

/**
 * Returns an attached program and its result, whose schema the caller must check.
 *
 * @param name `last`, or an ID, or a unique beginning or end of one
 * @throws {StoreError} if no run matches, or several do
 */
export function attachedRun(db: Database, name: string): { run: AttachedRun; result: unknown } {
  const damaged: string[] = [];
  const runs = attachedRuns(db, {}, (id) => damaged.push(id));
  const text = name.toLowerCase();
  const isNamed = (id: string) => id.startsWith(text) || id.endsWith(text);
  const matches = name === "last" ? runs.slice(0, 1) : runs.filter(({ id }) => isNamed(id));
  const [run] = matches;
  if (run === undefined && text !== "" && damaged.some(isNamed)) {
    throw new StoreError(
      `The row of the attached program ${damaged.find(isNamed)} is damaged; attach to the program again`,
    );
  }
  if (run === undefined || text === "") {
    throw new StoreError(`Unknown attached program "${name}"; "tacho attach --kept" lists them`);
  }
  if (matches.length > 1) throw new StoreError(`Attached program "${name}" is ambiguous; give more of the ID`);
  const row = db.get("SELECT content FROM attached WHERE id = ?", run.id);
  try {
    return { run, result: unpack(row?.["content"]) };
  } catch (cause) {
    const message = `The result of the attached program ${run.id} is damaged: ${(cause as Error).message}`;
    throw new StoreError(`${message}; attach to the program again`, { cause });
  }
}

function readable(row: Row, onDamage: (id: string) => void): AttachedRun[] {
  try {
    return [toRun(row)];
  } catch {
    onDamage(String(row["id"]));
    return [];
  }
}

const commandSchema = z.array(z.string());

function toRun(row: Row): AttachedRun {
  const [text, number] = [(name: string) => String(row[name]), (name: string) => Number(row[name])];
  return {
    id: text("id"),
    started: timeSchema.parse(number("started")),
    ended: timeSchema.parse(number("ended")),
    status: number("status"),
    command: parseFirst(commandSchema, parseJson(text("command"))),
    cwd: text("cwd"),
    adapter: row["adapter"] === null ? null : text("adapter"),
    tacho: text("tacho"),
    deno: text("deno"),
  };
}
