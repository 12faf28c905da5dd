import type { ArenaEntry, Plan, Segment } from "./plan.ts";

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
  /** Number of parameters. */
  readonly parameters: number;
  /** Index of the last dispatch of the backward pass that writes one of the gradients. */
  readonly last: number;
}

/** A gradient, and the last dispatch of the backward pass that writes it. */
interface Written {
  readonly entry: ArenaEntry;
  readonly last: number;
}

type Backward = Pick<Plan, "segments" | "parameters">;

/**
 * Groups the gradients of a plan into buckets of at least `bytes` bytes, in the order in which the backward pass completes
 * them.
 */
export function bucketsOf(plan: Backward, bytes: number): Bucket[] {
  const buckets: Bucket[] = [];
  let written: Written[] = [];
  let size = 0;
  const close = () => {
    if (written.length > 0) {
      const ranges = rangesOf(written.map(({ entry }) => entry));
      buckets.push({ ranges, bytes: size, parameters: written.length, last: written.at(-1)!.last });
    }
    written = [];
    size = 0;
  };
  for (const each of inOrderOfBackward(plan)) {
    written.push(each);
    size += each.entry.size;
    if (size >= bytes) close();
  }
  close();
  return buckets;
}

/** Ends a segment of the backward pass where a bucket is complete, so that its all-reduce can start there. */
export function splitBackward(plan: Plan, bytes: number): Plan {
  const ends = new Set(bucketsOf(plan, bytes).map(({ last }) => last));
  let index = 0;
  const segments = plan.segments.flatMap((segment): Segment[] => {
    if (segment.phase !== "backward") return [segment];
    const parts: Segment[] = [];
    let dispatches: Segment["dispatches"][number][] = [];
    for (const dispatch of segment.dispatches) {
      dispatches.push(dispatch);
      if (!ends.has(index++)) continue;
      parts.push({ ...segment, dispatches });
      dispatches = [];
    }
    return dispatches.length === 0 ? parts : [...parts, { ...segment, dispatches }];
  });
  return { ...plan, segments };
}

/** Passes of a step after which buckets are complete. */
export interface BucketChunk {
  /** Index of the first pass after these. */
  readonly end: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Assigns buckets to the passes of a step: to those that complete them, or with `together` to the end of the backward pass.
 * A step of several micro-batches completes its gradients in the last of them.
 */
export function chunksOf(
  plan: Pick<Plan, "segments" | "accumulate">,
  buckets: readonly Bucket[],
  together: boolean,
): BucketChunk[] {
  const perBatch = plan.segments.filter(({ phase }) => phase !== "update");
  const before = perBatch.length * (plan.accumulate - 1);
  const end = before + perBatch.length;
  if (together) return [{ end, buckets }];
  const chunks: { end: number; buckets: Bucket[] }[] = [];
  let dispatches = 0;
  perBatch.forEach(({ phase, dispatches: { length } }, i) => {
    if (phase !== "backward") return;
    const complete = buckets.filter(({ last }) => last >= dispatches && last < dispatches + length);
    dispatches += length;
    if (complete.length > 0) chunks.push({ end: before + i + 1, buckets: complete });
  });
  const last = chunks.at(-1);
  return last === undefined ? [{ end, buckets: [] }] : [...chunks.slice(0, -1), { ...last, end }];
}

/** Returns the parameters with gradients, by the last dispatch that writes their gradient. */
function inOrderOfBackward({ segments, parameters }: Backward): Written[] {
  const bindings = segments.filter(({ phase }) => phase === "backward").flatMap(({ dispatches }) => dispatches)
    .map((dispatch) => dispatch.bindings.filter(({ buffer }) => buffer === "gradients"));
  const last = (entry: ArenaEntry) =>
    bindings.findLastIndex((each) =>
      each.some(({ offset, size }) => offset < entry.offset + entry.size && entry.offset < offset + size)
    );
  return parameters.entries.map((entry) => ({ entry, last: last(entry) })).filter((each) => each.last >= 0)
    .sort((a, b) => a.last - b.last || a.entry.offset - b.entry.offset);
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
