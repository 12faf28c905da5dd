import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import { isFolder } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import { StoreError } from "../../store/problems.ts";
import { findShardFiles, readShardProgress, type ShardProgress } from "../store/shard_file.ts";

/** State of one shard. */
export interface ShardStatus {
  readonly shard: number;
  /** `unfinished` shards run, wait or were killed; `unreadable` files are damaged or of another version. */
  readonly status: ShardProgress["status"] | "not started" | "unreadable";
  /** Complete rounds, and the number that the settings ask for; null where unknown. */
  readonly rounds: number | null;
  readonly of: number | null;
  readonly node: string | null;
  readonly adapter: string | null;
  /** Number of times that it was started again. */
  readonly resumed: number;
  /** Time of the last write in ms since 1970. */
  readonly changed: number | null;
  /** Reason why it failed or cannot be read, or the variants that failed. */
  readonly problem: string | null;
}

/** State of a sweep. */
export interface SweepStatus {
  readonly scenario: string;
  readonly folder: string;
  readonly shards: readonly ShardStatus[];
}

/** Shard files of a sweep. */
export interface FoundSweep {
  readonly scenario: string;
  readonly folder: string;
  /** Number of shards. */
  readonly of: number;
  readonly paths: readonly string[];
}

/**
 * Finds the shard files of the sweeps of a folder.
 *
 * @param name name of a submitted sweep, or a folder with shard files
 * @param command command of the user, for messages
 * @throws {InputError} if there is neither, or no shard file yet
 */
export function findSweeps(name: string, command: string): FoundSweep[] {
  const folder = [shardFolder(name), name].find(isFolder);
  if (folder === undefined) {
    throw new InputError(
      `${command}: neither ${shardFolder(name)} nor a folder ${name} is here; expected the name of a sweep that was ` +
        "submitted in this folder, or a folder of shard files",
    );
  }
  const sweeps = Map.groupBy(findFiles(folder, command), (path) => {
    const [, scenario, of] = basename(path).match(/^(.+)-\d+-of-(\d+)\.tacho\.jsonl$/)!;
    return `${of} ${scenario}`;
  });
  if (sweeps.size === 0) {
    throw new InputError(`${command}: ${folder} has no shard file yet; no shard has started (squeue lists the jobs)`);
  }
  return [...sweeps].map(([key, paths]) => {
    const [, of, scenario] = key.match(/^(\d+) (.*)$/)!;
    return { scenario: scenario!, folder, of: Number(of), paths };
  });
}

/** Reads the state of the sweeps of a folder; see {@linkcode findSweeps}. */
export function readSweeps(name: string): SweepStatus[] {
  return findSweeps(name, "tacho status").map(({ scenario, folder, of, paths }) => {
    const started = new Map(paths.map((path) => {
      const status = readStatus(path);
      return [status.shard, status];
    }));
    const numbers = Array.from({ length: of }, (_, i) => i + 1);
    return { scenario, folder, shards: numbers.map((shard) => started.get(shard) ?? notStarted(shard)) };
  });
}

function findFiles(folder: string, command: string): string[] {
  try {
    return findShardFiles(folder);
  } catch (error) {
    throw new InputError(`${command}: ${folder} cannot be read (${reasonOf(error)})`, { cause: error });
  }
}

function readStatus(path: string): ShardStatus {
  const shard = Number(basename(path).match(/-(\d+)-of-\d+\.tacho\.jsonl$/)![1]);
  try {
    const { header, rounds, status, message, failedArms, resumed, changed, adapter, host } = readShardProgress(path);
    const failed = failedArms.length === 0 ? null : `failed: ${[...new Set(failedArms)].join(", ")}`;
    const known = { rounds, of: header.rounds, node: host, adapter, resumed, changed };
    return { shard, status, ...known, problem: message ?? failed };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...notStarted(shard), status: "unreadable", problem: error.message };
  }
}

function notStarted(shard: number): ShardStatus {
  const unknown = { rounds: null, of: null, node: null, adapter: null, changed: null, problem: null };
  return { shard, status: "not started", ...unknown, resumed: 0 };
}

/** Returns the folder of a submitted sweep, relative to the current one. */
export function shardFolder(name: string): string {
  return `${name}.shards`;
}
