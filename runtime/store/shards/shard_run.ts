import { join } from "node:path";
import { reasonOf } from "../../core/shown.ts";
import type { Result } from "../../result/schema.ts";
import type { ModuleSource } from "../module_source.ts";
import { StoreError } from "../problems.ts";
import { type RunStart, statusOf } from "../records.ts";
import { specDifferences } from "../run_spec.ts";
import type { RunRecorder } from "../run_recorder.ts";
import { toLine } from "./lines.ts";
import {
  isComplete,
  parseShardFile,
  SHARD_FORMAT,
  type ShardEntry,
  type ShardFile,
  shardFileName,
  type ShardHeader,
  shardResult,
} from "./shard_file.ts";
import { ShardRecorder } from "./shard_recorder.ts";

/** Place of a shard in its sweep. */
export type ShardPlace = Pick<ShardHeader, "shard" | "of" | "replicate" | "sweep" | "total" | "positions" | "rounds">;

/** A shard that runs and keeps its measurements in a file. */
export class ShardRun {
  readonly path: string;
  readonly recorder: RunRecorder;
  /** Result of a shard that was complete before; null for one with something left to measure. */
  readonly done: Result | null;
  readonly hasModules: boolean;
  readonly #file: Deno.FsFile;

  private constructor(path: string, file: Deno.FsFile, kept: ShardFile | null, host: string | null) {
    this.path = path;
    this.#file = file;
    const entries = kept?.entries ?? [];
    this.done = kept !== null && isComplete(entries) ? shardResult(kept) : null;
    this.hasModules = entries.some(({ kind }) => kind === "modules");
    this.recorder = new ShardRecorder(entries, host, (entry) => this.#write(entry));
  }

  /**
   * Begins a shard, or continues one from its file.
   *
   * @param host name of this machine; null if unknown
   * @throws {StoreError} if the file cannot be written, is damaged, in use by another process, or of another experiment
   */
  static open(folder: string, place: ShardPlace, start: RunStart, host: string | null): ShardRun {
    const path = join(folder, shardFileName(start.spec.scenario, place.shard, place.of));
    const file = openToWrite(folder, path);
    try {
      if (!file.tryLockSync(true)) {
        throw new StoreError(`${path} is in use: this shard already runs in another process; wait until it ends`);
      }
      const content = Deno.readFileSync(path);
      if (!content.includes(0x0a)) {
        file.truncateSync(0);
        const run = new ShardRun(path, file, null, host);
        run.#write({ kind: "header", format: SHARD_FORMAT, ...place, ...headerOf(start), host });
        return run;
      }
      const kept = parseShardFile(content, path);
      checkSame(kept, place, start);
      file.truncateSync(kept.bytes);
      file.seekSync(0, Deno.SeekMode.End);
      const run = new ShardRun(path, file, resumed(kept), host);
      if (run.done === null) run.#write({ kind: "resumed", at: Date.now() });
      return run;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Keeps the script and its imports. */
  keepModules(modules: readonly ModuleSource[]): void {
    this.#write({ kind: "modules", modules: [...modules] });
  }

  /** Keeps the result, which is on disk when this returns. An interrupted shard can be started again. */
  finish(result: Result): void {
    this.#write({ kind: "result", status: statusOf(result), result, at: Date.now() });
  }

  /** Keeps the reason why the shard ended without a result. */
  fail(message: string): void {
    this.#write({ kind: "failed", message, at: Date.now() });
  }

  close(): void {
    this.#file.close();
  }

  #write(entry: ShardEntry): void {
    try {
      const bytes = new TextEncoder().encode(toLine(entry));
      for (let done = 0; done < bytes.length;) done += this.#file.writeSync(bytes.subarray(done));
      this.#file.syncDataSync();
    } catch (error) {
      throw new StoreError(
        `${this.path} cannot be written (${reasonOf(error)}); free some space, and run the shard again`,
        {
          cause: error,
        },
      );
    }
  }
}

function openToWrite(folder: string, path: string): Deno.FsFile {
  try {
    Deno.mkdirSync(folder, { recursive: true });
    return Deno.openSync(path, { create: true, read: true, write: true });
  } catch (error) {
    throw new StoreError(
      `${path} cannot be opened (${reasonOf(error)}); expected a writable folder, which --shard-dir names`,
      { cause: error },
    );
  }
}

function headerOf({ spec, script, args, cwd, environment, started = Date.now() }: RunStart) {
  return { spec, script, args: [...args], cwd, environment, started };
}

/** Returns the file as it is after the shard was started again. */
function resumed(kept: ShardFile): ShardFile {
  if (isComplete(kept.entries)) return kept;
  return { ...kept, entries: [...kept.entries, { kind: "resumed", at: Date.now() }] };
}

function checkSame({ path, header }: ShardFile, place: ShardPlace, { spec }: RunStart): void {
  const changes = specDifferences(header.spec, spec);
  if (header.replicate !== place.replicate) {
    changes.push(`--replicate: ${header.replicate} then, ${place.replicate} now`);
  }
  if (changes.length === 0 && header.sweep !== place.sweep) changes.push("the variants of other shards have changed");
  if (changes.length === 0) return;
  throw new StoreError(
    `${path} is the file of an earlier sweep; move it away, choose another folder with --shard-dir, or undo these ` +
      `changes:\n${changes.map((line) => `  ${line}`).join("\n")}`,
  );
}
