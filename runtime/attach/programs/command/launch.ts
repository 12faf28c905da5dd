import { signal } from "./processes.ts";
import type { CommandFiles, Launched } from "./host.ts";

/**
 * Starts its arguments as an orphan, and prints the process. Its parent is small: the peak memory of a process is at least
 * that of the one which started it.
 */
const LAUNCHER = 'in=$1 out=$2 err=$3; shift 3; "$@" <"$in" >"$out" 2>"$err" & echo "$!"';

/** Stops the shell, so that its own start is over before the command begins. */
const STOP = "kill -STOP $$";

/** File descriptor of stdin. */
export const STDIN = 0;

/**
 * Starts a command in a session of its own, and stops it before it begins. This process has to adopt orphans.
 *
 * @returns its process, which {@linkcode resume} lets run; it has ended if the shell is missing
 */
export async function launch(launched: Launched, { stdin, stdout, stderr }: CommandFiles): Promise<number> {
  const command = "words" in launched
    ? ["/bin/sh", "-c", `${STOP}; exec "$@"`, "sh", ...launched.words]
    : [...launched.shell, "-c", `${STOP}\n${launched.line}`];
  const args = ["-c", LAUNCHER, "sh", stdin, stdout, stderr, "setsid", ...command];
  const launcher = await new Deno.Command("/bin/sh", { args, stdin: "null", stderr: "inherit" }).output();
  return Number(new TextDecoder().decode(launcher.stdout));
}

/** Lets a command and its group run. */
export function resume(pid: number): void {
  signal(-pid, "SIGCONT");
}
