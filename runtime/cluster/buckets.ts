import type { ArenaEntry, Plan } from "../compile/plan.ts";

/** Consecutive bytes of the gradients. */
export interface BucketRange {
  readonly offset: number;
  readonly size: number;
}

/** Gradients that one all-reduce averages. */
export interface Bucket {
  readonly ranges: readonly BucketRange[];
  /** Size of all ranges in bytes. */
  readonly bytes: number;
}

/**
 * Groups the gradients of a plan into buckets of at least `bytes` bytes, in the order in which the backward pass completes
 * them.
 */
export function bucketsOf(plan: Pick<Plan, "segments" | "parameters">, bytes: number): Bucket[] {
  const buckets: Bucket[] = [];
  let entries: ArenaEntry[] = [];
  let size = 0;
  const close = () => {
    if (entries.length > 0) buckets.push({ ranges: rangesOf(entries), bytes: size });
    entries = [];
    size = 0;
  };
  for (const entry of inOrderOfBackward(plan)) {
    entries.push(entry);
    size += entry.size;
    if (size >= bytes) close();
  }
  close();
  return buckets;
}

/** Returns the parameters with gradients, by the last dispatch that writes their gradient. */
function inOrderOfBackward({ segments, parameters }: Pick<Plan, "segments" | "parameters">): ArenaEntry[] {
  const bindings = segments.filter(({ phase }) => phase === "backward").flatMap(({ dispatches }) => dispatches)
    .map((dispatch) => dispatch.bindings.filter(({ buffer }) => buffer === "gradients"));
  const last = (entry: ArenaEntry) =>
    bindings.findLastIndex((each) =>
      each.some(({ offset, size }) => offset < entry.offset + entry.size && entry.offset < offset + size)
    );
  return parameters.entries.map((entry) => ({ entry, last: last(entry) })).filter((each) => each.last >= 0)
    .sort((a, b) => a.last - b.last || a.entry.offset - b.entry.offset).map(({ entry }) => entry);
}

/** Returns the ranges of entries, with adjacent ones joined. Sizes are rounded up to 4 bytes, which an entry's padding fills. */
function rangesOf(entries: readonly ArenaEntry[]): BucketRange[] {
  const ranges: BucketRange[] = [];
  for (const { offset, size } of entries.toSorted((a, b) => a.offset - b.offset)) {
    const padded = Math.ceil(size / 4) * 4;
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.offset + previous.size === offset) {
      ranges.splice(-1, 1, { offset: previous.offset, size: previous.size + padded });
    } else ranges.push({ offset, size: padded });
  }
  return ranges;
}
