import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Returns the store's folder: `own`, else `TACHO_STORE`, else `tacho` in `XDG_DATA_HOME`, else in ~/.local/share. */
export function storeFolder(own?: string): string {
  const named = own || Deno.env.get("TACHO_STORE");
  if (named) return resolve(named);
  const xdg = Deno.env.get("XDG_DATA_HOME");
  return xdg ? join(xdg, "tacho") : join(homedir(), ".local", "share", "tacho");
}
