import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { forwardSignals } from "./forward_signals.ts";

/** Environment variable with the process ID of the parent. The run ends if the parent is gone. */
export const PARENT_VARIABLE = "TACHO_PARENT";

export interface DenoOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Discards stdout. */
  readonly quiet?: boolean;
}

/** Runs a script as if a user started it in `cwd`, and returns its exit status. */
export async function runScript(
  script: string,
  args: readonly string[],
  cwd: string,
  options: Pick<DenoOptions, "quiet"> = {},
): Promise<number> {
  return await runDeno([...configFlags(resolve(cwd, script)), script, ...args], { cwd, ...options });
}

/**
 * Runs Deno with all permissions and returns its exit status. Forwards interrupts and Ctrl-Z, so that the child ends
 * cleanly before this process does, and stops with it. The child also ends if this process is killed.
 */
export async function runDeno(
  args: readonly string[],
  { cwd, env = {}, quiet = false }: DenoOptions,
): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...args],
    cwd,
    env: { ...env, [PARENT_VARIABLE]: String(Deno.pid) },
    stdin: "null",
    stdout: quiet ? "null" : "inherit",
    stderr: "inherit",
    // A separate process group: the terminal sends Ctrl-C to the whole group, and a second one ends the script at once
    detached: true,
  }).spawn();
  using _forwarding = forwardSignals(child);
  return (await child.status).code;
}

/** Returns flags that let a script without its own Deno configuration find Tacho's packages. */
function configFlags(script: string): string[] {
  const own = new URL("../../deno.json", import.meta.url);
  if (own.protocol !== "file:") return [];
  for (let folder = dirname(script);; folder = dirname(folder)) {
    if (["deno.json", "deno.jsonc", "package.json"].some((name) => exists(join(folder, name)))) return [];
    if (folder === dirname(folder)) return ["--config", fileURLToPath(own)];
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
