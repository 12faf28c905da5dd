import assert from "node:assert/strict";
import { join } from "node:path";
import { findShardFiles, readShardFile, readShardProgress } from "../../../runtime/store/shards/shard_file.ts";
import { type ShardPlace, ShardRun } from "../../../runtime/store/shards/shard_run.ts";
import { outcome, round, spec, start } from "../synthetic_run.ts";

const place: ShardPlace = { shard: 2, of: 3, replicate: 1, sweep: "abc", total: 4, positions: [0, 2], rounds: 3 };

const FILE = "synthetic-2-of-3.tacho.jsonl";

function open(folder: string, changes: Partial<ShardPlace> = {}, more = start()): ShardRun {
  return ShardRun.open(folder, { ...place, ...changes }, more, "node1");
}

function withFolder(test: (folder: string, path: string) => void): () => Promise<void> {
  return async () => {
    const folder = await Deno.makeTempDir();
    try {
      test(folder, join(folder, FILE));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  };
}

/** Writes a shard of two complete rounds. */
function twoRounds(folder: string): void {
  const run = open(folder);
  run.recorder.keepWarmUp({ arm: "baseline", steps: 2, steady: true });
  for (const i of [0, 1]) {
    run.recorder.keepLosses("baseline", i, [0.5 - i / 10]);
    run.recorder.keepRound(round(i));
  }
  run.close();
}

Deno.test(
  "a shard that starts again has its rounds and losses, and its file says how far it is",
  withFolder((folder, path) => {
    twoRounds(folder);
    assert.deepEqual(findShardFiles(folder), [path]);
    const before = readShardProgress(path);
    assert.deepEqual([before.rounds, before.status, before.resumed, before.host], [2, "unfinished", 0, "node1"]);
    const again = open(folder);
    assert.deepEqual(again.recorder.rounds, [round(0), round(1)]);
    assert.deepEqual(again.recorder.losses("baseline"), [0.5, 0.4]);
    assert.deepEqual(again.recorder.warmUps, [{ arm: "baseline", steps: 2, steady: true }]);
    assert.equal(again.recorder.resumed, 1);
    again.finish(outcome(100));
    again.keepModules(start().modules); // collected by another process, and late
    again.close();
    assert.equal(readShardProgress(path).status, "complete");
    const done = open(folder);
    assert.deepEqual(done.done, outcome(100));
    done.close();
  }),
);

Deno.test(
  "a process killed in the middle of a write loses that round only, wherever it was cut",
  withFolder((folder, path) => {
    twoRounds(folder);
    const whole = Deno.readFileSync(path);
    const last = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (const cut of [last, last + 1, (last + whole.length) >> 1, whole.length - 1]) {
      Deno.writeFileSync(path, whole.subarray(0, cut));
      assert.equal(readShardProgress(path).rounds, 1); // as a merge sees it while the shard writes
      const again = open(folder);
      assert.deepEqual([again.recorder.rounds, again.recorder.losses("baseline")], [[round(0)], [0.5]]);
      again.recorder.keepRound(round(1));
      again.close();
      assert.equal(readShardProgress(path).rounds, 2);
    }
    Deno.writeFileSync(path, whole.subarray(0, 20)); // killed in its first write
    open(folder).close();
    assert.equal(readShardProgress(path).rounds, 0);
  }),
);

Deno.test(
  "a shard in use, of other settings, or damaged is refused with its name",
  withFolder((folder, path) => {
    const first = open(folder);
    assert.throws(() => open(folder), /is in use: this shard already runs/);
    first.close();
    assert.throws(() => open(folder, { sweep: "other" }), /earlier sweep[\s\S]*variants of other shards have changed/);
    assert.throws(() => open(folder, {}, start({ spec: spec({ sha256: null }) })), /the script has changed/);
    const bytes = Deno.readFileSync(path);
    bytes[120]! ^= 1;
    Deno.writeFileSync(path, bytes);
    assert.throws(() => readShardFile(path), /synthetic-2-of-3\.tacho\.jsonl: line 1 is damaged/);
    Deno.writeTextFileSync(path, "");
    assert.throws(() => readShardFile(path), /no complete line yet/);
  }),
);
