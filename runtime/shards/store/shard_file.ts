/**
 * Reads shard files.
 *
 * @module
 */
import { basename, join } from "node:path";
import { LARGEST, readFile } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import { checkFirst } from "../../core/strangers_json.ts";
import { migrateResult } from "../../result/migrations.ts";
import { type Result, resultSchema } from "../../result/schema.ts";
import { readLines, ShardFileError } from "./lines.ts";
import { entrySchema, type ShardEntry, type ShardHeader } from "./shard_entries.ts";

/** A shard file that was read. */
export interface ShardFile {
  readonly path: string;
  readonly header: ShardHeader;
  /** Entries after the header. */
  readonly entries: readonly ShardEntry[];
  /** Length of the complete lines in bytes. */
  readonly bytes: number;
}

/** Returns the name of a shard file. */
export function shardFileName(scenario: string, shard: number, of: number): string {
  return `${scenario}-${shard}-of-${of}.tacho.jsonl`;
}

/** Returns the paths of a scenario's shard files in a folder, by shard; `scenario` null finds those of all scenarios. */
export function findShardFiles(folder: string, scenario: string | null = null): string[] {
  const found = [...Deno.readDirSync(folder)].flatMap(({ name }) => {
    const [, of, shard, total] = name.match(/^(.+)-(\d{1,6})-of-(\d{1,6})\.tacho\.jsonl$/) ?? [];
    return of === undefined || (scenario !== null && of !== scenario) ? [] : [{ name, of, shard, total }];
  });
  found.sort((a, b) =>
    a.of < b.of ? -1 : a.of > b.of ? 1 : Number(a.total) - Number(b.total) || Number(a.shard) - Number(b.shard)
  );
  return found.map(({ name }) => join(folder, name));
}

/**
 * Reads a shard file, which another process may be writing.
 *
 * @throws {ShardFileError} if it cannot be read, is damaged, or is no shard file of this version
 */
export function readShardFile(path: string): ShardFile {
  let content: Uint8Array;
  try {
    content = readFile(path, LARGEST.shard);
  } catch (error) {
    throw new ShardFileError("unreadable", `${path}: cannot be read (${reasonOf(error)})`, { cause: error });
  }
  return parseShardFile(content, path);
}

/** Parses the content of a shard file; see {@linkcode readShardFile}. */
export function parseShardFile(content: Uint8Array, path: string): ShardFile {
  const { entries, bytes } = readLines(content, path);
  if (entries.length === 0) {
    throw new ShardFileError(
      "unfinished",
      `${path}: the shard file has no complete line yet; its shard was not started, or only just`,
    );
  }
  const parsed = entries.map((entry, i) => {
    const checked = checkFirst(entrySchema, entry);
    if (checked.success) return checked.data;
    const what = `line ${i + 1} has a form that this version of Tacho does not know`;
    throw new ShardFileError(
      "other version",
      `${path}: ${what}; merge with the version that wrote ${basename(path)}`,
    );
  });
  const [header, ...rest] = parsed;
  const problem = header?.kind === "header" ? contradictionIn(header, rest) : "the header is missing";
  if (header?.kind !== "header" || problem !== null) {
    throw new ShardFileError("damaged", `${path}: ${problem}; move the file away and run the shard again`);
  }
  return { path, header, entries: rest, bytes };
}

/** State of a shard by its file. */
export interface ShardProgress {
  readonly header: ShardHeader;
  /** Complete rounds. */
  readonly rounds: number;
  /** `complete` and `failed` are final; an unfinished shard may be running, waiting or killed. */
  readonly status: "complete" | "failed" | "unfinished";
  /** Reason of the failure. */
  readonly message: string | null;
  /** Arms that failed, the control arm included. */
  readonly failedArms: readonly string[];
  /** Number of times that it was started again. */
  readonly resumed: number;
  /** Time of the last write in ms since 1970; null if the system does not keep it. */
  readonly changed: number | null;
  /** Name of the adapter; null before it was opened. */
  readonly adapter: string | null;
  /** Machine that ran it last. */
  readonly host: string | null;
}

/** Reads the state of a shard. Throws like {@linkcode readShardFile}. */
export function readShardProgress(path: string): ShardProgress {
  const { header, entries } = readShardFile(path);
  const adapter = entries.findLast((entry) => entry.kind === "adapter");
  return {
    header,
    rounds: entries.filter((entry) => entry.kind === "measured" && entry.round !== undefined).length,
    status: statusOf(entries),
    message: failureOf(entries),
    failedArms: entries.flatMap((entry) => entry.kind === "measured" && entry.failure ? [entry.failure.arm] : []),
    resumed: entries.filter(({ kind }) => kind === "resumed").length,
    changed: Deno.statSync(path).mtime?.getTime() ?? null,
    adapter: adapter?.adapter?.name ?? null,
    host: adapter?.host ?? header.host,
  };
}

/** Returns true if the shard has nothing left to measure. */
export function isComplete(entries: readonly ShardEntry[]): boolean {
  return statusOf(entries) === "complete";
}

function statusOf(entries: readonly ShardEntry[]): ShardProgress["status"] {
  const end = endOf(entries);
  if (end?.kind === "failed") return "failed";
  return end === null || end.status === "interrupted" ? "unfinished" : end.status;
}

/** Returns why the last sitting failed as a whole; null if it did not. */
export function failureOf(entries: readonly ShardEntry[]): string | null {
  const end = endOf(entries);
  return end?.kind === "failed" ? end.message : null;
}

/** Returns the end of the last sitting; null if it has none yet. Modules may be written after it. */
function endOf(entries: readonly ShardEntry[]) {
  const last = entries.findLast(({ kind }) => ENDS.includes(kind));
  return last?.kind === "result" || last?.kind === "failed" ? last : null;
}

const ENDS: readonly ShardEntry["kind"][] = ["result", "failed", "resumed"];

/**
 * Returns the result of a shard that ended, perhaps early; null while it runs, and after it was killed.
 *
 * @throws {ShardFileError} if another version wrote it in an unknown form
 */
export function shardResult({ path, entries }: ShardFile): Result | null {
  const end = endOf(entries);
  if (end?.kind !== "result") return null;
  const parsed = checkFirst(resultSchema, migrated(end.result, path));
  if (parsed.success) return parsed.data;
  throw new ShardFileError(
    "other version",
    `${path}: the result has a form that this version of Tacho does not know; run the shard again`,
  );
}

function migrated(result: unknown, path: string): unknown {
  try {
    return migrateResult(result, path);
  } catch (error) {
    throw new ShardFileError("other version", reasonOf(error), { cause: error });
  }
}

/**
 * Returns a contradiction between the lines of a shard file, as it has where files were joined or edited; null for none.
 *
 * @param entries entries after the header
 */
function contradictionIn(header: ShardHeader, entries: readonly ShardEntry[]): string | null {
  const { shard, of, total, positions, spec: { variants, baseline } } = header;
  if (shard > of) return `line 1 has shard ${shard} of ${of}`;
  if (positions.length !== variants.length || positions.some((position) => position >= total)) {
    return `line 1 has ${variants.length} variants at the positions ${positions.join(", ")} of ${total}`;
  }
  if (!variants.some(({ name }) => name === baseline)) return "line 1 lacks the baseline";
  let last = -1;
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === "header") return `line ${i + 2} is the header of another shard file`;
    if (entry.kind !== "measured" || entry.round === undefined) continue;
    const { round } = entry.round;
    if (round <= last) return `line ${i + 2} has round ${round} after round ${last}`;
    last = round;
  }
  return null;
}
