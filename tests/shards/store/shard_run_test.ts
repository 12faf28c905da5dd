import assert from "node:assert/strict";
import { join } from "node:path";
import { findShardFiles, readShardFile, readShardProgress } from "../../../runtime/shards/store/shard_file.ts";
import { RunLock } from "../../../runtime/store/run_lock.ts";
import { sha256 } from "../../../runtime/core/sha256.ts";
import { type ShardFileError, toLine } from "../../../runtime/shards/store/lines.ts";
import { type ShardPlace, ShardRun } from "../../../runtime/shards/store/shard_run.ts";
import { outcome, round, spec, start } from "../../store/synthetic_run.ts";

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
    Deno.writeTextFileSync(path, `{"check":"${sha256("{").slice(0, 8)}","content":{}\n`); // with the checksum of no JSON
    assert.throws(() => readShardFile(path), /synthetic-2-of-3\.tacho\.jsonl: line 1 is damaged/);
    Deno.writeTextFileSync(path, "");
    assert.throws(() => readShardFile(path), /no complete line yet/);
  }),
);

Deno.test(
  "files that are no shard file, or that were joined or edited, are refused and stay as they are",
  withFolder((folder, path) => {
    twoRounds(folder);
    const whole = Deno.readTextFileSync(path);
    const lines = whole.trimEnd().split("\n");
    const edited = (change: (header: Record<string, unknown>) => void) => {
      const { content } = JSON.parse(lines[0]!);
      change(content);
      return [toLine(content).trimEnd(), ...lines.slice(1)].join("\n") + "\n";
    };
    const contents: [string | Uint8Array, string, RegExp][] = [
      [new Uint8Array(9000), "foreign", /this is no shard file/],
      ["# Notes\n", "foreign", /this is no shard file/],
      [whole + lines[0] + "\n", "damaged", /line 4 is the header of another/],
      [whole + lines[2] + "\n", "damaged", /line 4 has round 1 after round 1/],
      [lines.slice(1).join("\n") + "\n", "damaged", /the header is missing/],
      [edited((header) => header["shard"] = 4), "damaged", /line 1 has shard 4 of 3/],
      [edited((header) => header["positions"] = [0]), "damaged", /2 variants at the positions 0 of 4/],
      [
        edited((header) => (header["spec"] as Record<string, unknown>)["baseline"] = "none"),
        "damaged",
        /lacks the bas/,
      ],
      ...["of", "total", "replicate", "shard"].flatMap((name) =>
        [2 ** 53 - 1, 1e12, 1e6 + 1].map((size): [string, string, RegExp] => [
          edited((header) => header[name] = size),
          "other version",
          /line 1 has a form that this version/,
        ])
      ),
      [edited((header) => header["started"] = 8.64e15 + 1), "other version", /line 1 has a form that this version/],
      [edited((header) => header["format"] = 2), "other version", /line 1 has a form that this version/],
    ];
    for (const [content, problem, message] of contents) {
      typeof content === "string" ? Deno.writeTextFileSync(path, content) : Deno.writeFileSync(path, content);
      const before = Deno.readFileSync(path);
      for (const use of [readShardFile, () => open(folder)]) {
        assert.throws(() => use(path), (error: ShardFileError) => {
          assert.match(error.message, message);
          assert.match(error.message, /synthetic-2-of-3/);
          return error.problem === problem;
        });
      }
      assert.deepEqual(Deno.readFileSync(path), before);
    }
    Deno.writeTextFileSync(path, whole.replaceAll("\n", "\r\n")); // as some programs that copy texts write them
    assert.equal(readShardProgress(path).rounds, 2);
  }),
);

Deno.test(
  "where files cannot be locked, the process that began first ends at its next write",
  withFolder((folder, path) => {
    const { tryLockSync } = Deno.FsFile.prototype;
    Deno.FsFile.prototype.tryLockSync = () => {
      throw new Error("No locks available (os error 37)");
    };
    try {
      const first = open(folder);
      first.recorder.keepRound(round(0));
      const second = open(folder);
      assert.throws(() => first.recorder.keepRound(round(1)), /also runs in another process, perhaps on another node/);
      second.recorder.keepRound(round(1));
      assert.throws(() => first.fail("ended"), /also runs in another process/);
      first.close();
      assert.deepEqual([readShardProgress(path).rounds, readShardProgress(path).resumed], [2, 1]);
      Deno.renameSync(path, `${path}.old`);
      assert.throws(() => second.recorder.keepRound(round(2)), /was removed or moved while its shard ran/);
      second.close();
      assert.throws(() => RunLock.take(folder, "run"), /is on a file system without file locks; set another folder/);
    } finally {
      Deno.FsFile.prototype.tryLockSync = tryLockSync;
    }
  }),
);

Deno.test(
  "a write that fails leaves the lines before it",
  withFolder((folder, path) => {
    const { writeSync, syncDataSync } = Deno.FsFile.prototype;
    const run = open(folder);
    const before = Deno.readFileSync(path);
    try {
      // A disk that is full after some bytes
      Deno.FsFile.prototype.writeSync = function (bytes) {
        writeSync.call(this, bytes.subarray(0, 50));
        throw Object.assign(new Error("No space left on device (os error 28)"), { code: "ENOSPC" });
      };
      assert.throws(() => run.recorder.keepRound(round(0)), /cannot be written \(No space left.*; free some space/);
      assert.deepEqual(Deno.readFileSync(path), before);
    } finally {
      Deno.FsFile.prototype.writeSync = writeSync;
    }
    try {
      Deno.FsFile.prototype.syncDataSync = () => {
        throw Object.assign(new Error("Invalid argument (os error 22)"), { code: "EINVAL" }); // a file system that cannot sync
      };
      run.recorder.keepRound(round(0));
    } finally {
      Deno.FsFile.prototype.syncDataSync = syncDataSync;
    }
    run.close();
    assert.equal(readShardProgress(path).rounds, 1);
  }),
);
