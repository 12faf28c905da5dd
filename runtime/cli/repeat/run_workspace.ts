import { join } from "node:path";
import { readTextIfAny, writeFile } from "../../core/files.ts";
import { readResult, type Result } from "../../result/schema.ts";
import { type Handoff, HANDOFF_VARIABLE } from "../../library/handoff.ts";
import { LOCK_VARIABLE } from "../../store/packages_lock.ts";
import { runDeno } from "../script_process.ts";
import type { Workspace } from "./workspace.ts";

export interface RunOptions {
  readonly args: readonly string[];
  /** Name of the script in results. */
  readonly file: string;
  /** Discards the output of the script. */
  readonly quiet: boolean;
}

export interface Ran {
  readonly status: number;
  /** Result of the run; null if it ended before it had one. */
  readonly result: Result | null;
}

/** Runs the script of a workspace with all permissions, as if a user started it. */
export async function runWorkspace(workspace: Workspace, { args, file, quiet }: RunOptions): Promise<Ran> {
  const target = join(workspace.folder, "result.json");
  const handoffFile = join(workspace.folder, "handoff.json");
  const handoff: Handoff = { file, modules: [...workspace.modules], result: target };
  writeFile(handoffFile, JSON.stringify(handoff));
  const status = await runDeno(
    ["--config", workspace.config, "--lock", workspace.packages, workspace.script, ...args],
    {
      cwd: Deno.cwd(),
      env: { [HANDOFF_VARIABLE]: handoffFile, [LOCK_VARIABLE]: workspace.lockHash, DENO_NO_UPDATE_CHECK: "1" },
      quiet,
    },
  );
  return { status, result: resultIn(target) };
}

function resultIn(file: string): Result | null {
  const text = readTextIfAny(file);
  return text === null ? null : readResult(JSON.parse(text));
}
