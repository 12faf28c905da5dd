/** Outcome of a script. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script of this folder. Neither stdout nor stderr is a terminal. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await command(name, args, env).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** The same, ready to be started. */
export function command(name: string, args: readonly string[], env: Record<string, string> = {}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", new URL(name, import.meta.url).href, ...args],
    env,
    stdout: "piped",
    stderr: "piped",
  });
}
