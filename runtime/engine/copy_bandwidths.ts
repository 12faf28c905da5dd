import { keptPeaks } from "./peak_cache.ts";

/**
 * Returns the copy bandwidth of each adapter that was measured before, in GB/s by its name, from the cache folder. Returns
 * none where the program may not read it.
 */
export async function copyBandwidths(): Promise<ReadonlyMap<string, number>> {
  for (const name of ["read", "env"] as const) {
    if ((await Deno.permissions.query({ name })).state !== "granted") return new Map();
  }
  const kept = await keptPeaks(); // the latest of adapters with the same name comes first
  return new Map(kept.reverse().map(({ adapter, peaks }) => [adapter.name, peaks.copy.value / 1e9]));
}
