import assert from "node:assert/strict";
import { assignShards } from "../../../runtime/shards/plan/assign.ts";
import { shardNumber, shardRequest } from "../../../runtime/cli/shard_flags.ts";

function sweepOf(count: number) {
  return Array.from({ length: count }, (_, i) => ({ name: `v${i}`, cost: 1 + 20 * Math.abs(Math.sin(i + 1)) }));
}

Deno.test("every variant is in one shard, and no shard costs more than 4/3 of the mean", () => {
  for (const [count, shards] of [[12, 4], [200, 12], [7, 7], [97, 3]] as const) {
    const variants = sweepOf(count);
    const parts = assignShards(variants, 0, { shards, replicate: 1 });
    assert.deepEqual(parts.flatMap((part) => part.variants).toSorted(), variants.map(({ name }) => name).toSorted());
    const mean = variants.reduce((sum, { cost }) => sum + cost, 0) / shards;
    const largest = Math.max(...variants.map(({ cost }) => cost));
    for (const part of parts) assert(part.cost <= 4 / 3 * Math.max(mean, largest) && part.variants.length > 0);
  }
});

Deno.test("a variant runs in as many different shards as asked for", () => {
  const parts = assignShards(sweepOf(10), 3, { shards: 5, replicate: 3 });
  for (const { variants } of parts) assert.equal(new Set(variants).size, variants.length);
  const runs = Map.groupBy(parts.flatMap(({ variants }) => variants), (name) => name);
  assert.deepEqual([...runs.values()].map(({ length }) => length), Array(10).fill(3));
});

Deno.test("variants without cost are spread evenly", () => {
  const free = sweepOf(8).map(({ name }) => ({ name, cost: 0 }));
  const parts = assignShards(free, 0, { shards: 4, replicate: 1 });
  assert.deepEqual(parts.map(({ variants }) => variants.length), [2, 2, 2, 2]);
});

Deno.test("empty shards and copies of a variant in one shard are refused", () => {
  assert.throws(() => assignShards(sweepOf(3), 0, { shards: 4, replicate: 1 }), /at most 3 shards for 3 variants/);
  assert.throws(() => assignShards(sweepOf(3), 0, { shards: 2, replicate: 3 }), /--replicate: expected at most/);
});

Deno.test("10,000 variants on 500 nodes are planned in time close to proportional: comparisons grow with n log n", () => {
  const reads = (count: number, shards: number) => {
    let read = 0;
    const variants = sweepOf(count).map(({ name, cost }) => ({
      name,
      get cost() {
        read++;
        return cost;
      },
    }));
    assignShards(variants, 0, { shards, replicate: 1 });
    return read;
  };
  assert(reads(10_000, 500) < 15 * reads(1_000, 50));
});

Deno.test("--shard reads K/N, and auto/N counts from the first task of the array", () => {
  assert.deepEqual(shardRequest("3/8"), { shard: 3, of: 8 });
  for (const text of ["0/4", "5/4", "3", "3/", "a/4", "1/0", "-1/4"]) {
    assert.throws(() => shardRequest(text), /--shard/);
  }
  const task = (id: string, first: string) => (name: string) =>
    ({ SLURM_ARRAY_TASK_ID: id, SLURM_ARRAY_TASK_MIN: first })[name];
  const auto = shardRequest("auto/4");
  assert.equal(shardNumber(auto, task("7", "5")), 3);
  assert.equal(shardNumber(shardRequest("2/4"), task("7", "5")), 2);
  assert.throws(() => shardNumber(auto, () => undefined), /not set/);
  assert.throws(() => shardNumber(auto, task("9", "5")), /expected at most 4 tasks/);
});
