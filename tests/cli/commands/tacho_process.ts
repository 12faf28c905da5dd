import { denoCommand, type Ended, ended, TACHO } from "../tacho_process.ts";

export { TACHO } from "../tacho_process.ts";

/** Runs `tacho` with the store in `folder`. */
export function tacho(folder: string, ...args: readonly string[]): Promise<Ended> {
  return ended(denoCommand([TACHO, ...args], { env: { TACHO_STORE: folder, NO_COLOR: "1" } }));
}

/** Command that runs a script of this folder, with the store in `folder`. */
export function scriptCommand(
  name: string,
  folder: string,
  args: readonly string[] = [],
  options: Deno.CommandOptions = {},
): Deno.Command {
  const env = { TACHO_STORE: folder, NO_COLOR: "1", ...options.env };
  return denoCommand([new URL(name, import.meta.url).href, ...args], { ...options, env });
}
