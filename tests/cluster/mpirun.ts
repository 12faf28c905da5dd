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

type Arguments = readonly string[] | readonly (readonly string[])[];
type Environment = Readonly<Record<string, string>>;

/** Returns the command that runs a script of this folder on ranks with equal or different arguments, one list per rank. */
export function mpirunCommand(
  launcher: LauncherName,
  ranks: number,
  args: Arguments,
  env: Environment = {},
  name = "ranks_script.ts",
): Deno.Command {
  const script = ["deno", "run", "-A", join(import.meta.dirname!, name)];
  const lists = args.some((each) => Array.isArray(each)) ? args as readonly (readonly string[])[] : null;
  const programs = lists === null
    ? ["-n", String(ranks), ...script, ...args as readonly string[]]
    : lists.flatMap((each, i) => [...i === 0 ? [] : [":"], "-n", "1", ...script, ...each]);
  const open = launcher === "mpirun.openmpi" ? ["--allow-run-as-root", "--oversubscribe"] : [];
  return new Deno.Command(launcher, {
    args: [...open, ...programs],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a script of this folder on ranks to its end. */
export async function mpirun(
  ...command: Parameters<typeof mpirunCommand>
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await mpirunCommand(...command).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
