import { dirname, join } from "node:path";
import { writeFile } from "../core/files.ts";
import { hashText } from "../core/random.ts";
import { cacheFolder } from "../data/standin/cache.ts";
import type { AdapterInfo } from "../device/adapter.ts";

/** Kinds of measurements that are kept for each adapter. */
type Kind = "peaks" | "tuning";

/** Returns the files of one kind in the cache folder. */
export async function adapterFiles(kind: Kind): Promise<string[]> {
  const folder = cacheFolder();
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.flatMap(({ name }) =>
      name.startsWith(`${kind}-`) && name.endsWith(".json") ? join(folder, name) : []
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Returns the file in the cache folder for measurements that are valid for `key`: adapter, versions, threads. */
export function adapterFile(kind: Kind, key: object): string {
  return join(cacheFolder(), `${kind}-${hashText(JSON.stringify(key)).toString(16).padStart(8, "0")}.json`);
}

/** Returns the configured thread count of a software adapter; null for other adapters or without a setting. */
export function softwareThreads({ fallback }: Pick<AdapterInfo, "fallback">): string | null {
  return fallback ? Deno.env.get("LP_NUM_THREADS") ?? null : null;
}

/** Writes a file in one step, since other runs may read it at the same time. Creates its folder. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const part = `${file}.${Deno.pid}`;
  try {
    await Deno.mkdir(dirname(file), { recursive: true });
    writeFile(part, text);
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error;
  }
}
