import { join } from "node:path";

/** Launchers of both binary interfaces, as Debian names them. */
export type LauncherName = "mpirun.openmpi" | "mpirun.mpich";

/** Returns true if a launcher is installed. */
export function isInstalled(launcher: LauncherName): boolean {
  try {
    return new Deno.Command(launcher, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** Runs a script of this folder on ranks with equal or different arguments, one list per rank or one for all. */
export async function mpirun(
  launcher: LauncherName,
  ranks: number,
  args: readonly string[] | readonly (readonly string[])[],
  env: Readonly<Record<string, string>> = {},
  name = "ranks_script.ts",
): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = ["deno", "run", "-A", join(import.meta.dirname!, name)];
  const lists = args.some((each) => Array.isArray(each)) ? args as readonly (readonly string[])[] : null;
  const programs = lists === null
    ? ["-n", String(ranks), ...script, ...args as readonly string[]]
    : lists.flatMap((each, i) => [...i === 0 ? [] : [":"], "-n", "1", ...script, ...each]);
  const open = launcher === "mpirun.openmpi" ? ["--allow-run-as-root", "--oversubscribe"] : [];
  const { code, stdout, stderr } = await new Deno.Command(launcher, {
    args: [...open, ...programs],
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
