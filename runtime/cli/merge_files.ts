import { InputError } from "../core/errors.ts";
import { type Merged, mergeShards } from "../shards/plan/merge_shards.ts";
import { checkFolder, writeReport } from "../library/report_folder.ts";
import { commandOf } from "../library/script.ts";
import { storeFolder } from "../store/folder.ts";
import { openStore } from "../store/store.ts";
import { withoutFlags } from "./repeat/experiment_args.ts";
import { resultText } from "./result_text.ts";
import { warn, writeError, writeOut } from "./terminal.ts";

/** Flags of a shard that a repeated run must not have. */
const SHARD_FLAGS = ["--shard", "--replicate", "--shard-dir"];

export interface MergeOptions {
  /** Folder of the store; undefined for the default one. */
  readonly store: string | undefined;
  /** Combines nodes with different adapters. */
  readonly acrossAdapters: boolean;
  /** Folder of the report; null for none. */
  readonly report: string | null;
  readonly color: boolean;
}

/**
 * Merges shard files into one run of the store, and prints it.
 *
 * @returns true if every shard was merged
 * @throws {InputError} if none can be merged, or the run cannot be kept; it is printed and reported before that
 */
export async function mergeFiles(
  paths: readonly string[],
  { store: named, acrossAdapters, report, color }: MergeOptions,
): Promise<boolean> {
  if (report !== null) await checkFolder(report, "--report");
  const merged = mergeShards(paths, acrossAdapters);
  const { result, header, problems } = merged;
  for (const problem of problems) warn(problem);
  writeOut(resultText(result, { pipeline: false, color }));
  const args = withoutFlags(header.args, SHARD_FLAGS);
  if (report !== null) {
    const command = header.script === null ? null : commandOf(header.script, args);
    await writeReport(report, result, { timelines: null, command }, "--report");
  }
  const id = keep(merged, args, named);
  writeError(`kept as ${id} (tacho show ${id})\n`);
  return problems.length === 0;
}

function keep(
  { result, spec, header, modules, started, key }: Merged,
  args: readonly string[],
  named: string | undefined,
): string {
  try {
    using store = openStore(storeFolder(named));
    const { script, cwd } = header;
    const start = { started, spec, script, modules, cwd, args, environment: result.environment };
    return store.keepMerged(start, key, result);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`The merged run is not kept. ${error.message}`, { cause: error });
  }
}
