import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { resultSchema } from "../../mod.ts";
import { fullTest } from "../support/full.ts";
import { scriptIn } from "./tacho_here.ts";
import { Place } from "./tacho_process.ts";

const SCRIPT = new URL("./slow_loader_script.ts", import.meta.url).pathname;

// tests/experiment/tune/climb_test.ts tries it on invented times
fullTest("--tune tries advice, and keeps the ladder, the predictions and the tuned experiment", async () => {
  await using place = await Place.make();
  const { code, stdout, stderr } = await place.script(SCRIPT, [
    "--tune",
    "--tune-time",
    "3600",
    "--rounds",
    "8",
    "--json",
    "out.json",
  ]);
  assert.equal(code, 0, stderr);
  const result = resultSchema.parse(JSON.parse(await Deno.readTextFile(join(place.folder, "out.json"))));
  const { ladder } = result;
  assert(ladder !== null && ladder.rungs.length > 0);
  assert.equal(ladder.variant, "slow");
  const [first] = ladder.rungs;
  // A cache spares the sleep, and more workers share it
  assert(["data.cache", "loader.numWorkers"].includes(first!.changes[0]!.path), first!.changes[0]!.path);
  assert(first!.predicted.gain > 1);
  assert.match(stdout, /^Ladder of slow: /m);
  const db = new DatabaseSync(join(place.folder, "store", "runs.sqlite"), { readOnly: true });
  const rows = db.prepare("SELECT prediction, predicted, outcome FROM rungs ORDER BY position").all();
  db.close();
  assert.equal(rows.length, ladder.rungs.length);
  assert.equal(JSON.parse(String(rows[0]!["prediction"])).gain, first!.predicted.gain);
  assert.deepEqual(JSON.parse(String(rows[0]!["outcome"])), first);
  const verified = await place.inside(["verify", "last"]);
  assert.equal(verified.code, 2);
  assert.match(
    verified.stderr,
    /^error: run \w+: cannot verify a run with --tune, whose variants are not in the script; /,
  );
  const kept = ladder.rungs.filter(({ kept }) => kept);
  if (kept.length === 0) return; // a machine too busy to tell
  for (const { path } of kept[0]!.changes) {
    assert.match(ladder.patch!, new RegExp(`^\\+ {2}variants: \\{ slow: \\{ .*\\b${path.split(".").at(-1)}: `, "m"));
  }
  assert.deepEqual(result.variants.map(({ name }) => name), ["start", "tuned"]);
  const repeated = await place.tacho(["repeat", "slow-loader-tuned.lock.json", "--rounds", "1", "--steps", "1"]);
  assert.match(repeated.stdout, /^slow /m, repeated.stderr);
});

fullTest("--tune tries recomputation with larger micro-batches where memory bounds them", async () => {
  await using place = await Place.make();
  const args = ["--tune", "--tune-time", "3600", "--rounds", "6", "--json", "out.json", "--no-store"];
  const { code, stdout, stderr } = await place.script(
    new URL("./tight_memory_script.ts", import.meta.url).pathname,
    args,
  );
  assert.equal(code, 0, stderr);
  const { ladder } = resultSchema.parse(JSON.parse(await Deno.readTextFile(join(place.folder, "out.json"))));
  const tried = ladder!.rungs.find(({ finding }) => finding === "recompute");
  assert.ok(tried !== undefined, stdout);
  assert.deepEqual(tried.changes.map(({ path, from, to }) => [path, from, to]), [
    ["recompute", "none", "blocks"],
    ["loader.batchSize", 64, 128],
    ["accumulate", 4, 2],
  ]);
  assert.ok(tried.measured !== null, `both fit in the budget: ${tried.reason}`);
  // Sinks stage more batches than fit
  for (const { finding, reason } of ladder!.rungs.filter(({ measured }) => measured === null)) {
    assert.match(reason, /needs .* of device memory, more than the memoryBudget of 220\.0 KiB/, finding);
  }
});

Deno.test("--tune works on one variant and accepts no sweep", async () => {
  await using place = await Place.make();
  const errorOf = async (args: string[]) => {
    const { code, stderr } = await scriptIn(place.folder, join(place.folder, "store"), SCRIPT, ["--tune", ...args]);
    assert.equal(code, 2);
    return stderr;
  };
  assert.match(await errorOf(["--variants", "slow,other"]), /--tune: works on one variant, got --variants slow,other/);
  assert.match(await errorOf(["sink=0,10"]), /--tune: chooses settings itself and accepts no sweep, got "sink=0,10"/);
  assert.match(await errorOf(["--tune-time", "0"]), /--tune-time: expected a whole number of at least 1/);
});
