import type { RangeRecord } from "../result/schema.ts";

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
