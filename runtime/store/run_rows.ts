/**
 * Rows of runs and their modules.
 *
 * @module
 */
import type { SQLInputValue } from "node:sqlite";
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { reasonOf } from "../core/shown.ts";
import { checkFirst, parseFirst, parseJson } from "../core/strangers_json.ts";
import { migrateResult } from "../result/migrations.ts";
import { environmentSchema, type Result, resultSchema } from "../result/schema.ts";
import { timeSchema } from "../result/time.ts";
import type { Database, Row } from "./database.ts";
import { type ModuleSource, moduleSourceSchema } from "./module_source.ts";
import { pack, unpack } from "./packing.ts";
import { runSpecSchema } from "./run_spec.ts";
import { guarded, isDamage, StoreError } from "./problems.ts";
import { RUN_STATUSES, type RunFilter, type RunRecord, type RunStatus, type RunSummary } from "./records.ts";
import { isAlive } from "./run_lock.ts";

/** Columns of a summary, for {@linkcode toSummary}. */
const SUMMARY = "id, started, ended, status, message, scenario, script, args, cwd, seed, baseline, variants, failed, " +
  "resumed, ips, unit, best, best_speedup AS bestSpeedup, adapter, driver, deno, tacho, git";

const rowSchema = z.object({
  id: z.string(),
  started: timeSchema,
  ended: timeSchema.nullable(),
  status: z.enum(RUN_STATUSES),
  message: z.string().nullable(),
  scenario: z.string(),
  script: z.string().nullable(),
  args: z.string(),
  cwd: z.string(),
  seed: z.number(),
  baseline: z.string(),
  variants: z.number(),
  failed: z.number(),
  resumed: z.number(),
  ips: z.number().nullable(),
  unit: z.string().nullable(),
  best: z.string().nullable(),
  bestSpeedup: z.number().nullable(),
  adapter: z.string().nullable(),
  driver: z.string().nullable(),
  deno: z.string(),
  tacho: z.string(),
  git: z.string().nullable(),
});

const argsSchema = z.array(z.string());

/** Order of lists: the latest run first. */
export const ORDER = "ORDER BY started DESC, id DESC";

/** Selection of runs: SQL of their IDs, and its parameters. */
export interface Chosen {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/**
 * Returns the runs that a filter selects, the latest first.
 *
 * @param onDamage takes the IDs of runs that are left out, since their rows cannot be read
 */
export function findRuns(
  db: Database,
  folder: string,
  filter: RunFilter,
  onDamage: (id: string) => void,
): RunSummary[] {
  const { where, values } = conditions(filter, deadRuns(db, folder));
  const sql = `SELECT id FROM runs WHERE ${where} ${ORDER} LIMIT ?`;
  return readSummaries(db, folder, { sql, values: [...values, filter.limit ?? -1] }).flatMap(({ id, run }) => {
    if (run === null) onDamage(id);
    return run ?? [];
  });
}

/** Reads rows of runs, the latest first; null for those that are damaged. */
export function readSummaries(
  db: Database,
  folder: string,
  chosen: Chosen,
): { readonly id: string; readonly run: RunSummary | null }[] {
  const dead = deadRuns(db, folder);
  return readRows(db, chosen).map(({ id, read }) => {
    try {
      return { id, run: guarded(db.file, () => toSummary(read(), dead)) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { id, run: null };
    }
  });
}

interface UnreadRow {
  readonly id: string;
  readonly read: () => Row;
}

/** Returns rows of runs. SQLite gives up on a number that JavaScript does not have, so rows are then read one by one. */
function readRows(db: Database, { sql, values }: Chosen): UnreadRow[] {
  try {
    return db.all(`SELECT ${SUMMARY} FROM runs WHERE id IN (${sql}) ${ORDER}`, ...values)
      .map((row) => ({ id: String(row["id"]), read: () => row }));
  } catch (error) {
    if (!isDamage(error)) throw error;
    return db.all(sql, ...values).map((row) => {
      const id = String(row["id"]);
      return { id, read: () => db.get(`SELECT ${SUMMARY} FROM runs WHERE id = ?`, id)! };
    });
  }
}

/** Reads a run, or returns null if there is none with this ID. */
export function readRun(db: Database, folder: string, id: string): RunRecord | null {
  const row = db.get(`SELECT ${SUMMARY}, environment, content FROM runs JOIN plans ON sha256 = plan WHERE id = ?`, id);
  if (row === undefined) return null;
  return {
    ...toSummary(row, deadRuns(db, folder)),
    spec: known(runSpecSchema, unpack(row["content"]), id),
    environment: known(environmentSchema, parseJson(String(row["environment"])), id),
    modules: readModules(db, id),
  };
}

/** Reads the result of a run, or returns null if it has none. */
export function readResult(db: Database, id: string): Result | null {
  const row = db.get("SELECT content FROM results WHERE run = ?", id);
  return row === undefined ? null : known(resultSchema, migrated(unpack(row["content"]), id), id);
}

/** Migrates a result, which may lack anything that its version had. */
function migrated(result: unknown, id: string): unknown {
  try {
    return migrateResult(result, `run ${id}`);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new StoreError(`The result of run ${id} is damaged (${reasonOf(error)})`);
  }
}

/** Parses intact content. A mismatch means that another version wrote it, not that it is damaged. */
export function known<T>(schema: z.ZodType<T>, value: unknown, id: string): T {
  const parsed = checkFirst(schema, value);
  if (parsed.success) return parsed.data;
  throw new StoreError(
    `Run ${id} was kept by another version of Tacho in an unsupported form; use that version, start a new run, or ` +
      'remove old runs with "tacho prune"',
  );
}

/** Returns the runs that are marked as running but have no process. */
export function deadRuns(db: Database, folder: string): Set<string> {
  const ids = db.all("SELECT id FROM runs WHERE status = 'running'").map(({ id }) => String(id));
  return new Set(ids.filter((id) => !isAlive(folder, id)));
}

/** Reads the columns of {@linkcode SUMMARY}. `dead` are the runs without a process. */
function toSummary(row: Row, dead: ReadonlySet<string>): RunSummary {
  const { args, status, ...rest } = rowSchema.parse(row);
  return { ...rest, args: parseFirst(argsSchema, parseJson(args)), status: dead.has(rest.id) ? "interrupted" : status };
}

/** Replaces the modules of a run. A text that several runs share is stored once. */
export function writeModules(db: Database, id: string, modules: readonly ModuleSource[]): void {
  db.run("DELETE FROM modules WHERE run = ?", id);
  modules.forEach(({ path, sha256, text, imports, names }, i) => {
    db.run("INSERT OR IGNORE INTO sources VALUES (?, ?)", sha256, pack(text));
    const more = [JSON.stringify(imports), JSON.stringify(names)] as const;
    db.run("INSERT INTO modules VALUES (?, ?, ?, ?, ?, ?)", id, i, path, sha256, ...more);
  });
}

function readModules(db: Database, id: string): ModuleSource[] {
  const sql = "SELECT path, sha256, content, imports, names FROM modules JOIN sources USING (sha256) WHERE run = ? " +
    "ORDER BY position";
  return db.all(sql, id).map(({ path, sha256, content, imports, names }) =>
    known(moduleSourceSchema, {
      path,
      sha256,
      text: unpack(content),
      imports: parseJson(String(imports)),
      names: parseJson(String(names)),
    }, id)
  );
}

function conditions(filter: RunFilter, dead: ReadonlySet<string>): { where: string; values: (string | number)[] } {
  const parts: [sql: string, ...values: (string | number)[]][] = [["1"]];
  const { scenario, status, adapter, text, spec, since, before } = filter;
  if (scenario !== undefined) parts.push(["scenario = ?", scenario]);
  if (status !== undefined) parts.push(hasStatus(status, [...dead]));
  if (adapter !== undefined) parts.push(["instr(lower(adapter), lower(?)) > 0", adapter]);
  if (text !== undefined) {
    const all = "id || ' ' || scenario || ' ' || coalesce(script, '') || ' ' || args || ' ' || coalesce(adapter, '')";
    parts.push([`instr(lower(${all}), lower(?)) > 0`, text]);
  }
  if (spec !== undefined) parts.push(["plan = ?", spec]);
  if (since !== undefined) parts.push(["started >= ?", since]);
  if (before !== undefined) parts.push(["started < ?", before]);
  return {
    where: parts.map(([sql]) => `(${sql})`).join(" AND "),
    values: parts.flatMap(([, ...values]) => values),
  };
}

function hasStatus(status: RunStatus, dead: readonly string[]): [string, ...string[]] {
  const marks = dead.map(() => "?").join(", ");
  if (status === "running") return [`status = 'running' AND id NOT IN (${marks})`, ...dead];
  if (status === "interrupted") return [`status = 'interrupted' OR id IN (${marks})`, ...dead];
  return ["status = ?", status];
}
