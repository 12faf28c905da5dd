import type { ShardEntry, ShardHeader } from "./shard_entries.ts";

/**
 * Returns a contradiction between the lines of a shard file, as it has where files were joined or edited; null for none.
 *
 * @param entries entries after the header
 */
export function contradictionIn(header: ShardHeader, entries: readonly ShardEntry[]): string | null {
  const { shard, of, total, positions, spec: { variants, baseline } } = header;
  if (shard > of) return `line 1 has shard ${shard} of ${of}`;
  if (positions.length !== variants.length || positions.some((position) => position >= total)) {
    return `line 1 has ${variants.length} variants at the positions ${positions.join(", ")} of ${total}`;
  }
  if (!variants.some(({ name }) => name === baseline)) return "line 1 lacks the baseline";
  let last = -1;
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === "header") return `line ${i + 2} is the header of another shard file`;
    if (entry.kind !== "measured" || entry.round === undefined) continue;
    const { round } = entry.round;
    if (round <= last) return `line ${i + 2} has round ${round} after round ${last}`;
    last = round;
  }
  return null;
}
