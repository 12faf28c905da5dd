import { type Plan, runsPerStep } from "../compile/plan.ts";
import type { RangeEntry } from "../core/range.ts";
import { phasesNamed } from "../record/phases.ts";
import type { OpRecord, RangeRecord } from "../result/schema.ts";

/** Sums over the ops of a range in a phase. */
interface Sums {
  readonly entries: Set<RangeEntry>;
  steps: number;
  calls: number;
  total: number;
}

/**
 * Returns the device time of each user range in each phase: its ops and those of nested ranges. In every profiled step, a
 * phase enters a range once for each time that the model did, in each micro-batch.
 *
 * @param records ops with their times over the profiled steps
 */
export function deviceRanges(
  records: readonly OpRecord[],
  plan: Pick<Plan, "nodes" | "accumulate">,
): RangeRecord[] {
  const byId = new Map(plan.nodes.map((node) => [node.id, node.range]));
  const phases = new Map<string, Map<string, Sums>>();
  for (const { id, phase, calls, total } of records) {
    if (total === null) continue;
    const ranges = phases.get(phase) ?? new Map<string, Sums>();
    phases.set(phase, ranges);
    for (const entry of levelsOf(byId.get(id) ?? null)) {
      const sums = ranges.get(entry.path) ?? { entries: new Set(), steps: 0, calls: 0, total: 0 };
      ranges.set(entry.path, sums);
      sums.entries.add(entry);
      sums.steps = Math.max(sums.steps, calls);
      sums.calls += calls;
      sums.total += total;
    }
  }
  return phasesNamed(phases.keys()).flatMap(({ name: phase }) =>
    nestRanges([...phases.get(phase)!].map(([path, sums]): RangeRecord => {
      const entries = sums.entries.size * sums.steps * runsPerStep(plan, phase);
      return {
        path,
        track: "device",
        phase,
        entries,
        calls: sums.calls,
        total: sums.total,
        mean: sums.total / entries,
      };
    }))
  );
}

/** Returns an entry and those around it, the outermost first. */
export function levelsOf(entry: RangeEntry | null): readonly RangeEntry[] {
  const levels: RangeEntry[] = [];
  for (let level = entry; level !== null; level = level.outer) levels.unshift(level);
  return levels;
}

/** Sorts ranges so that each precedes the ranges inside it. Recorded ranges are in order of their ends, inner ones first. */
export function nestRanges(ranges: readonly RangeRecord[]): RangeRecord[] {
  const ranks = new Map<string, number>();
  const ranksOf = ({ path }: RangeRecord) =>
    path.split("/").map((_, i, names) => {
      const outer = names.slice(0, i + 1).join("/");
      const rank = ranks.get(outer) ?? ranks.size;
      ranks.set(outer, rank);
      return rank;
    });
  const ranked = ranges.map((range) => ({ range, ranks: ranksOf(range) }));
  return ranked.sort((a, b) => compare(a.ranks, b.ranks)).map(({ range }) => range);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const apart = a.findIndex((rank, i) => rank !== b[i]);
  return apart < 0 || b[apart] === undefined ? a.length - b.length : a[apart]! - b[apart]!;
}
