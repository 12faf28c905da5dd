/** Averages of f16 values over ranks, against f64, with a network in memory. */
import assert, { deepStrictEqual } from "node:assert/strict";
import { averageF16 } from "../../runtime/cluster/average_f16.ts";

Deno.test("means of f16 values are within the stated error of f64, and equal on all ranks", async () => {
  const [size, count] = [3, 300];
  const exact = Array.from(
    { length: size },
    (_, r) => Array.from({ length: count }, (_, i) => Math.sin(i * 7.3 + r) * 3),
  );
  const ranks = exact.map((values) => {
    const shared = new Float16Array(new SharedArrayBuffer(2 * count));
    shared.set(values);
    return shared;
  });
  const sent: Uint8Array[] = ranks.map((values) => new Uint8Array(values.buffer).slice());
  const part = 2 * count / size;
  const means: Uint8Array[] = [];
  /** Runs rank `rank`; the first pass collects its means, the second delivers those of all. */
  const run = (rank: number, deliver: boolean) =>
    averageF16({
      size,
      allToAll: (_, to) => {
        sent.forEach((bytes, from) => to.set(bytes.subarray(rank * part, (rank + 1) * part), from * part));
        return { test: () => true };
      },
      allGather: (from, to) => {
        means[rank] = from.slice();
        if (deliver) means.forEach((bytes, other) => to.set(bytes, other * part));
        return { test: () => true };
      },
    }, {
      transfer: () => Promise.resolve(0),
    }, ranks[rank]!);
  for (const deliver of [false, true]) for (let rank = 0; rank < size; rank++) await run(rank, deliver);
  for (let i = 0; i < count; i++) {
    const terms = exact.map((values) => values[i]!);
    const mean = terms.reduce((sum, value) => sum + value, 0) / size;
    const sizes = terms.reduce((sum, value) => sum + Math.abs(value), 0) / size;
    assert(Math.abs(ranks[0]![i]! - mean) <= 2 ** -11 * (sizes + Math.abs(mean)) * 1.001 + 2 ** -24, `value ${i}`);
  }
  for (const values of ranks) deepStrictEqual([...values], [...ranks[0]!]);
});
