import { join } from "node:path";
import { withFolder } from "../fixtures.ts";

/** Runs `body` with an empty cache folder. */
export function withCache(body: (cache: string) => void | Promise<void>): Promise<void> {
  return withFolder({}, async (dir) => {
    const before = Deno.env.get("TACHO_CACHE");
    Deno.env.set("TACHO_CACHE", join(dir, "cache"));
    try {
      await body(join(dir, "cache"));
    } finally {
      if (before === undefined) Deno.env.delete("TACHO_CACHE");
      else Deno.env.set("TACHO_CACHE", before);
    }
  });
}
