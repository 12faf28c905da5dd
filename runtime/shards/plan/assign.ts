import { InputError } from "../../core/errors.ts";

/** A variant to assign, with its expected cost in any unit. */
export interface Costed {
  readonly name: string;
  readonly cost: number;
}

/** Part of a sweep. */
export interface ShardPart {
  /** Names of the variants in the order of the scenario, without the baseline, which every shard runs. */
  readonly variants: readonly string[];
  /** Expected cost, with the baseline and its control arm. */
  readonly cost: number;
}

/** Settings of a division into shards. */
export interface Division {
  /** Number of shards. */
  readonly shards: number;
  /** Number of shards that run each variant. */
  readonly replicate: number;
}

/** @throws {InputError} if a shard would be empty, or there are more replicates than shards */
export function checkDivision(variants: number, { shards, replicate }: Division): void {
  if (replicate > shards) {
    throw new InputError(
      `--replicate: expected at most the number of shards (${shards}), since the copies of a variant run on different ` +
        `shards, got ${replicate}`,
    );
  }
  const most = variants * replicate;
  if (shards > most) {
    throw new InputError(
      `--shard: expected at most ${most} shards for ${variants} variants besides the baseline, got ${shards}`,
    );
  }
}

/**
 * Divides variants into shards of about the same cost: the most expensive variant first, each to the shards that have
 * the least so far (R. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969: at most 4/3
 * of the best). Takes time in proportion to n log n. The same input gives the same division.
 *
 * @param variants variants without the baseline
 * @param fixed cost that every shard has: the baseline and its control arm
 * @throws {InputError} if a shard would be empty, or there are more replicates than shards
 */
export function assignShards(variants: readonly Costed[], fixed: number, { shards, replicate }: Division): ShardPart[] {
  checkDivision(variants.length, { shards, replicate });
  const indices = variants.map((_, i) => i).sort((a, b) => variants[b]!.cost - variants[a]!.cost || a - b);
  const heap = new LeastLoaded(shards);
  const parts = Array.from(
    { length: shards },
    (): { members: number[]; cost: number } => ({ members: [], cost: fixed }),
  );
  for (const i of indices) {
    const chosen = Array.from({ length: replicate }, () => heap.take());
    for (const { shard, load, count } of chosen) {
      const part = parts[shard]!;
      part.members.push(i);
      part.cost += variants[i]!.cost;
      heap.put({ shard, load: load + variants[i]!.cost, count: count + 1 });
    }
  }
  return parts.map(({ members, cost }) => ({
    variants: members.sort((a, b) => a - b).map((i) => variants[i]!.name),
    cost,
  }));
}

interface Load {
  readonly shard: number;
  readonly load: number;
  /** Number of variants, which decides between shards of the same load, so that none stays empty. */
  readonly count: number;
}

/** Binary heap of shards; the least loaded first. */
class LeastLoaded {
  readonly #heap: Load[];

  constructor(shards: number) {
    this.#heap = Array.from({ length: shards }, (_, shard) => ({ shard, load: 0, count: 0 }));
  }

  take(): Load {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink(0);
    }
    return first!;
  }

  put(load: Load): void {
    const heap = this.#heap;
    heap.push(load);
    for (let i = heap.length - 1; i > 0;) {
      const above = (i - 1) >> 1;
      if (!isLess(heap[i]!, heap[above]!)) break;
      [heap[i], heap[above]] = [heap[above]!, heap[i]!];
      i = above;
    }
  }

  #sink(start: number): void {
    const heap = this.#heap;
    for (let i = start;;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && isLess(heap[child]!, heap[least]!)) least = child;
      }
      if (least === i) return;
      [heap[i], heap[least]] = [heap[least]!, heap[i]!];
      i = least;
    }
  }
}

function isLess(a: Load, b: Load): boolean {
  return a.load !== b.load ? a.load < b.load : a.count !== b.count ? a.count < b.count : a.shard < b.shard;
}
