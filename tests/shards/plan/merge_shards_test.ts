import assert from "node:assert/strict";
import { join } from "node:path";
import { mergeShards } from "../../../runtime/shards/plan/merge_shards.ts";
import type { Result } from "../../../runtime/result/schema.ts";
import { ShardRun } from "../../../runtime/shards/store/shard_run.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { adapter, result, variant } from "../../report/result_fixture.ts";
import { block, environment, round, spec, start } from "../../store/synthetic_run.ts";

const CONFIG = { loader: { batchSize: 32, numWorkers: 0 }, sink: 0 };

const PROCEDURE: NonNullable<Result["procedure"]> = {
  ...{ planned: 8, rounds: 8, stoppedBy: "rounds", precision: null, maxTime: null, minEffect: 0, resumed: 0 },
  ...{ setups: { count: 1, time: null, share: null }, order: [], secondArm: null, warnings: [], warmUp: [] },
  ...{ probe: [], probeTrend: null },
};

interface Made {
  readonly sweep?: string;
  readonly scenario?: string;
  readonly tacho?: string;
  readonly warnings?: readonly string[];
  readonly adapter?: string;
  /** Killed after two of its eight rounds. */
  readonly killed?: boolean;
  /** Killed before its first round ended. */
  readonly early?: boolean;
  /** Time of the variant as a part of the baseline's. */
  readonly part?: number;
  /** The variant that skipped its updates has this reason. */
  readonly skipped?: string;
}

/** Writes shard `shard` of `of`, with the baseline and the variant `v<shard>`, and returns its path. */
function write(folder: string, shard: number, of: number, made: Made = {}): string {
  const { sweep = "abc", scenario = "synthetic", tacho = "0.1.0", part = 0.5, skipped, warnings = [] } = made;
  const name = `v${shard}`;
  const variants = ["baseline", name].map((name) => ({ name, config: CONFIG }));
  const place = { shard, of, replicate: 1, sweep, total: of + 1, positions: [0, shard], rounds: 8 };
  const run = ShardRun.open(
    folder,
    place,
    start({ spec: spec({ scenario, tacho, variants }), started: 1000 + shard }),
    `node${shard}`,
  );
  if (made.early) {
    run.close();
    return run.path;
  }
  for (const i of [0, 1]) {
    const { blocks, ...rest } = round(i);
    const named = blocks.map((one) => one.arm === "baseline" ? one : { ...one, arm: name });
    run.recorder.keepRound({ ...rest, order: ["baseline", name], blocks: named });
  }
  if (!made.killed) {
    const blocks = (scale: number) =>
      Array.from({ length: 8 }, (_, i) => block(i, scale * shard * (100 + (i % 3) / 9)));
    const judged = mergedFixture(skipped);
    run.finish(
      result([variant("baseline", { blocks: blocks(1) }), variant(name, { blocks: blocks(part), ...judged })], {
        environment: { ...environment, adapter: { ...adapter, name: made.adapter ?? adapter.name } },
        procedure: { ...PROCEDURE, warnings: warnings.map((message) => ({ kind: "load", message })) },
      }),
    );
  }
  run.close();
  return run.path;
}

/** Returns the judgement of a shard on a variant that skipped its updates. */
function mergedFixture(reason: string | undefined) {
  if (reason === undefined) return {};
  const interval = { value: 2, low: null, high: null };
  return {
    verdict: "invalid" as const,
    comparison: {
      ...{ pairs: 8, setups: 1, spread: { setups: null, rounds: null }, speedup: interval, level: 0.95, reached: 0.95 },
      ...{ method: "made", companion: null, p: 1, adjustedP: 1, smallestP: null, band: 0, reason },
    },
  };
}

function withFolder(test: (folder: string) => void): () => Promise<void> {
  return async () => {
    const folder = await Deno.makeTempDir();
    try {
      test(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  };
}

Deno.test(
  "the order of the files does not matter, and two merges keep one run",
  withFolder((folder) => {
    const warnings = [["busy", "hot"], ["busy", "hot"], ["busy", "slow"]];
    const paths = [1, 2, 3].map((shard) => write(folder, shard, 3, { warnings: warnings[shard - 1]! }));
    const merged = mergeShards(paths);
    assert.deepEqual(merged.result.procedure!.warnings.map(({ message }) => message), [
      "busy",
      "shards 1, 2 of 3: hot",
      "shard 3/3 on node3: slow",
    ]);
    assert.deepEqual(mergeShards(paths.toReversed()), merged);
    assert.deepEqual(merged.problems, []);
    assert.deepEqual(merged.result.variants.map(({ name }) => name), ["baseline", "v1", "v2", "v3"]);
    assert.deepEqual(merged.result.nodes?.map(({ host, shard }) => [host, shard]), [["node1", 1], ["node2", 2], [
      "node3",
      3,
    ]]);
    for (const { verdict, comparison } of merged.result.variants.slice(1)) {
      assert.equal(verdict, "faster"); // within each node; node 3 is three times as slow as node 1
      assert(Math.abs(comparison!.speedup.value - 2) < 0.01);
      assert.equal(comparison!.adjustedP, Math.min(1, comparison!.p! * 3));
    }
    using store = openStore(join(folder, "store"));
    const begin = { ...start(), spec: merged.spec, started: merged.started };
    const id = store.keepMerged(begin, merged.key, merged.result);
    assert.equal(store.keepMerged(begin, merged.key, merged.result), id);
    assert.deepEqual(store.find().map(({ id, status }) => [id, status]), [[id, "complete"]]);
    assert.deepEqual(store.result(id)?.nodes, merged.result.nodes);
  }),
);

Deno.test(
  "missing, unfinished, doubled, outdated, foreign and damaged shards are named, and the others are merged",
  withFolder((folder) => {
    const dirs = ["a", "b", "c", "d", "e"].map((name) => join(folder, name));
    const [a, b, c, d, e] = dirs as [string, string, string, string, string];
    const paths = [write(a, 1, 4), write(a, 2, 4), write(a, 3, 4, { early: true })];
    const [copy, old, foreign] = [
      write(b, 1, 4),
      write(c, 2, 4, { sweep: "old" }),
      write(d, 1, 4, { sweep: "x", scenario: "other" }),
    ];
    const damaged = write(e, 2, 4);
    const bytes = Deno.readFileSync(damaged);
    bytes[200]! ^= 1;
    Deno.writeFileSync(damaged, bytes);
    const other = write(join(folder, "f"), 2, 5, { sweep: "y", tacho: "0.0.9" });
    const { problems, result } = mergeShards([...paths, copy, old, foreign, damaged, other]);
    const expected = [
      `damaged: ${damaged}: line 1 is damaged`,
      `unfinished: ${paths[2]} has no complete round; run shard 3/4 again; left out: v3`,
      `doubled: shard 1/4 is in `,
      `outdated: ${old} is of another sweep: other settings or variants`,
      `outdated: ${other} is of another sweep: Tacho 0.0.9, not 0.1.0; 5 shards, not 4`,
      `foreign: ${foreign} is of the scenario other, not synthetic`,
      "missing: shard 4 of 4",
      "2 of 5 variants have no result",
    ];
    for (const line of expected) assert(problems.some((problem) => problem.startsWith(line)), `${line}: ${problems}`);
    assert.equal(problems.length, expected.length);
    assert.deepEqual(result.variants.map(({ name }) => name), ["baseline", "v1", "v2"]);
    assert.throws(() => mergeShards([paths[2]!]), /No shard to merge[\s\S]*unfinished: /);
    assert.throws(() => mergeShards([join(folder, "none")]), /cannot be read/);
  }),
);

Deno.test(
  "the complete rounds of a shard that was killed are merged, and it is named",
  withFolder((folder) => {
    const paths = [write(folder, 1, 2), write(folder, 2, 2, { killed: true })];
    const { problems, result } = mergeShards(paths);
    assert.deepEqual(problems, [
      `incomplete: ${paths[1]} has 2 of 8 rounds; run shard 2/2 again to continue it`,
    ]);
    const [, whole, killed] = result.variants;
    assert.deepEqual([whole!.comparison!.pairs, killed!.comparison!.pairs], [8, 2]);
    assert.deepEqual([killed!.status, killed!.verdict], ["interrupted", "unclear"]);
    assert.match(killed!.comparison!.reason, /^2 rounds are too few/);
    assert.equal(result.nodes![1]!.rounds, 2);
  }),
);

Deno.test(
  "a variant that its shard found invalid stays invalid, and adapters are separate groups unless they are combined",
  withFolder((folder) => {
    const reason = "loss scaling skipped 7 of 8 updates";
    const paths = [
      write(folder, 1, 2, { skipped: reason }),
      write(folder, 2, 2, { adapter: "another" }),
    ];
    const apart = mergeShards(paths).result.variants;
    assert.deepEqual([apart[1]!.verdict, apart[1]!.comparison!.reason], ["invalid", reason]);
    assert.equal(apart[2]!.comparison!.adjustedP, apart[2]!.comparison!.p); // the only one of its group
    const together = mergeShards(paths, true).result.variants;
    assert.equal(together[2]!.comparison!.adjustedP, Math.min(1, together[2]!.comparison!.p! * 2));
  }),
);
