import { join } from "node:path";
import type { Result } from "../../result/schema.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { StoreError } from "../../store/problems.ts";
import { type RunStart, statusOf } from "../../store/records.ts";
import { specDifferences } from "../../store/run_spec.ts";
import type { RunRecorder } from "../../store/run_recorder.ts";
import { checkStart, NEWLINE, toLine } from "./lines.ts";
import { SHARD_FORMAT, type ShardEntry, type ShardHeader } from "./shard_entries.ts";
import { isComplete, parseShardFile, type ShardFile, shardFileName, shardResult } from "./shard_file.ts";
import { ShardLog } from "./shard_log.ts";
import { ShardRecorder } from "./shard_recorder.ts";

/** Place of a shard in its sweep. */
export type ShardPlace = Pick<ShardHeader, "shard" | "of" | "replicate" | "sweep" | "total" | "positions" | "rounds">;

/** A shard that runs and keeps its measurements in a file. */
export class ShardRun {
  readonly recorder: RunRecorder;
  /** Result of a shard that was complete before; null for one with something left to measure. */
  readonly done: Result | null;
  readonly hasModules: boolean;
  readonly #log: ShardLog;

  private constructor(log: ShardLog, kept: ShardFile | null, host: string | null) {
    this.#log = log;
    const entries = kept?.entries ?? [];
    this.done = kept !== null && isComplete(entries) ? shardResult(kept) : null;
    this.hasModules = entries.some(({ kind }) => kind === "modules");
    this.recorder = new ShardRecorder(entries, host, (entry) => this.#write(entry));
  }

  get path(): string {
    return this.#log.path;
  }

  /**
   * Begins a shard, or continues one from its file.
   *
   * @param host name of this machine; null if unknown
   * @throws {StoreError} if the file cannot be written, is damaged, in use by another process, or of another experiment
   */
  static open(folder: string, place: ShardPlace, start: RunStart, host: string | null): ShardRun {
    const path = join(folder, shardFileName(start.spec.scenario, place.shard, place.of));
    const log = ShardLog.open(path);
    try {
      const content = log.read();
      checkStart(content, path);
      if (!content.includes(NEWLINE)) {
        log.truncate(0);
        const run = new ShardRun(log, null, host);
        run.#write({ kind: "header", format: SHARD_FORMAT, ...place, ...headerOf(start), host });
        return run;
      }
      const kept = parseShardFile(content, path);
      checkSame(kept, place, start);
      log.truncate(kept.bytes);
      const run = new ShardRun(log, resumed(kept), host);
      if (run.done === null) run.#write({ kind: "resumed", at: Date.now() });
      return run;
    } catch (error) {
      log.close();
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
    this.#log.close();
  }

  #write(entry: ShardEntry): void {
    this.#log.append(toLine(entry));
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
