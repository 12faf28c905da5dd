import { resolve } from "node:path";
import { ExitStatus } from "../core/errors.ts";
import { environment } from "../device/environment.ts";
import { graceOf } from "../experiment/interrupts/interrupts.ts";
import { LOCK_VARIABLE } from "../store/packages_lock.ts";
import { openProject } from "../store/script_project.ts";
import { forwardSignals } from "./forward_signals.ts";

/** Environment variable with the process ID of the parent. The run ends if the parent is gone. */
export const PARENT_VARIABLE = "TACHO_PARENT";

/** Times of grace after which a process that may ignore interrupts is killed; its step may take more than one. */
const GRACES = 3;

export interface DenoOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Discards stdout. */
  readonly quiet?: boolean;
  /** Flags that grant permissions; all permissions by default. */
  readonly permissions?: readonly string[];
  /**
   * Reads stdout and stderr of the process; without it, they are those of this process. Such a process may ignore an
   * interrupt, and cannot end itself while its main thread is blocked: this process kills it at the second, or if it has
   * not ended some time after the first.
   */
  readonly relay?: (child: Deno.ChildProcess) => Promise<void>;
}

/** Runs a script as if a user started it in `cwd`, and returns its exit status. */
export async function runScript(
  script: string,
  args: readonly string[],
  cwd: string,
  options: Pick<DenoOptions, "quiet"> = {},
): Promise<number> {
  await using project = await openProject(resolve(cwd, script));
  const { configFlags, lockFlags, lockHash } = project;
  const env: Record<string, string> = lockFlags.length === 0 || lockHash === null ? {} : { [LOCK_VARIABLE]: lockHash };
  return await runDeno([...configFlags, ...lockFlags, script, ...args], { cwd, env, ...options });
}

/**
 * Runs Deno and returns its exit status. Forwards interrupts and Ctrl-Z, so that the child ends cleanly before this process
 * does, and stops with it. The child also ends if this process is killed.
 */
export async function runDeno(
  args: readonly string[],
  { cwd, env = {}, quiet = false, permissions = ["-A"], relay }: DenoOptions,
): Promise<number> {
  const killAfter = relay === undefined ? null : GRACES * graceOf(environment("TACHO_GRACE"));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, ...args],
    cwd,
    env: { ...env, [PARENT_VARIABLE]: String(Deno.pid) },
    stdin: "null",
    stdout: relay !== undefined ? "piped" : quiet ? "null" : "inherit",
    stderr: relay !== undefined ? "piped" : "inherit",
    // A separate process group: the terminal sends Ctrl-C to the whole group, and a second one ends the script at once
    detached: true,
  }).spawn();
  using forwarding = forwardSignals(child, killAfter);
  await relay?.(child);
  const { code } = await child.status;
  return forwarding.killed ? ExitStatus.interrupted : code;
}
