/** URL of the folder that contains this copy of Tacho. */
export const TACHO_ROOT: string = new URL("../../", import.meta.url).href;

/** Parts of Tacho below its root. Scripts and examples next to them count as the user's. */
export const TACHO_PARTS: readonly string[] = ["mod.ts", "deno.json", "runtime/", "ops/", "types/"];

/** Returns the path of a module below Tacho's root, or null if it is not part of Tacho. */
export function partOfTacho(url: string): string | null {
  if (!url.startsWith(TACHO_ROOT)) return null;
  const path = url.slice(TACHO_ROOT.length);
  return TACHO_PARTS.some((part) => part.endsWith("/") ? path.startsWith(part) : path === part) ? path : null;
}
