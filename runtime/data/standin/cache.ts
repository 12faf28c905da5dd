import { homedir } from "node:os";
import { join } from "node:path";

/** Changes whenever a pixel of the stand-in does, so that an old one in the cache is not taken for the new. */
export const STAND_IN_VERSION = 1;

/** `TACHO_CACHE`, else `tacho` in `XDG_CACHE_HOME`, else `~/.cache/tacho`. */
export function cacheFolder(): string {
  const own = Deno.env.get("TACHO_CACHE");
  if (own) return own;
  const xdg = Deno.env.get("XDG_CACHE_HOME");
  return xdg ? join(xdg, "tacho") : join(homedir(), ".cache", "tacho");
}

/** Where the stand-in for CIFAR-10 is kept. */
export function standInFolder(): string {
  return join(cacheFolder(), `cifar10-standin-v${STAND_IN_VERSION}`);
}
