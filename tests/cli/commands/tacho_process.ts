/** URL of the script of the `tacho` command. */
export const TACHO = new URL("../../../scripts/tacho.ts", import.meta.url).href;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `tacho` with the store in `folder`. Neither stdout nor stderr is a terminal. */
export async function tacho(folder: string, ...args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", TACHO, ...args],
    env: { TACHO_STORE: folder, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Command that runs a script of this folder, with the store in `folder`. */
export function scriptCommand(
  name: string,
  folder: string,
  args: readonly string[] = [],
  options: Deno.CommandOptions = {},
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", new URL(name, import.meta.url).href, ...args],
    stdin: "null",
    ...options,
    env: { TACHO_STORE: folder, NO_COLOR: "1", ...options.env },
  });
}
