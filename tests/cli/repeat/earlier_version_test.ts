/**
 * Runs and a lock file that an early Tacho 0.1.0 kept on a software adapter. The script of the complete run is in the lock
 * file; that of the interrupted run is beside it. Never regenerate them: kept runs must stay readable.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { deflateSync, gunzipSync } from "node:zlib";
import { readLock } from "../../../runtime/cli/repeat/lock_file.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const FIXTURES = new URL("../../fixtures/kept/", import.meta.url);

async function unpack(fixture: string, path: string): Promise<void> {
  await Deno.writeFile(path, gunzipSync(await Deno.readFile(new URL(fixture, FIXTURES))));
}

/** A place whose store holds the complete run, with its lock file beside it. */
async function earlierPlace(): Promise<Place> {
  const place = await Place.make();
  await Deno.mkdir(join(place.folder, "store"));
  await unpack("runs.sqlite.gz", join(place.folder, "store/runs.sqlite"));
  await unpack("kept.lock.json.gz", join(place.folder, "kept.lock.json"));
  return place;
}

/** Returns a place whose store has a run interrupted in its third round, as if its script had run here. */
async function interruptedPlace(): Promise<Place> {
  const place = await Place.make();
  await Deno.mkdir(join(place.folder, "store"));
  await unpack("interrupted.sqlite.gz", join(place.folder, "store/runs.sqlite"));
  const script = fileURLToPath(new URL("interrupted.ts", FIXTURES));
  changeStore(place, (db) => db.prepare("UPDATE runs SET script = ?, cwd = ?").run(script, place.folder));
  return place;
}

function changeStore(place: Place, change: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(place.folder, "store/runs.sqlite"));
  change(db);
  db.close();
}

/** Checks that two losses are equal, or differ as much as the rounding of other kernels explains. */
function assertRounding(actual: string | number | undefined, expected: string | number | undefined): void {
  if (actual === undefined && expected === undefined) return;
  const [a, b] = [Number(actual), Number(expected)];
  assert.ok(Math.abs(a - b) <= 1e-6 * Math.abs(b), `${a} instead of ${b}`);
}

Deno.test("a run of an earlier version is shown in full", async () => {
  await using place = await earlierPlace();
  const shown = await place.here("show", "last", "--verbosity", "2", "--raw", "--advice");
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^kept · model · 75 parameters · batch 8 · seed 1$/m);
  assert.match(shown.stdout, /^baseline +3842 ±8\.2% +×1\.00 /m);
  assert.match(shown.stdout, /^sink +1378 ±0\.3% +×0\.36 +0\.23-0\.57 +unclear /m);
  const json = await place.here("show", "last", "--json", "-");
  const { variants } = resultSchema.parse(JSON.parse(json.stdout));
  assert.deepEqual(variants.map(({ name, blocks, ops }) => [name, blocks.length, ops.length > 0]), [
    ["baseline", 3, true],
    ["sink", 3, true],
  ]);
  const compared = await place.here("compare", "last", "last");
  assert.match(compared.stdout, /^losses of sink: identical in all \d+ steps that both runs have$/m, compared.stderr);
  const reported = await place.here("report", "last", "--out", "out");
  assert.equal(reported.code, 0, reported.stderr);
});

fullTest("a run of an earlier version is repeated with its settings", async () => {
  await using place = await earlierPlace();
  const { stdout, stderr } = await place.tacho(["repeat", "last"]);
  assert.match(stdout, /^The results (agree|do not agree) with run 1m81qk8ma8sj/m, stdout + stderr);
  assert.doesNotMatch(stdout, /^The settings differ/m);
  if (stdout.includes("(different adapter)")) return;
  const losses = [
    ...stdout.matchAll(/^ +now .* (?:identical, \d+ steps|differ at step \d+: (.+), (.+)) \(different plan\)/gm),
  ];
  assert.equal(losses.length, 2, stdout);
  for (const [, then, now] of losses) assertRounding(now, then);
});

Deno.test("a lock file of an earlier version is read and verified", async () => {
  await using place = await earlierPlace();
  const { result, spec } = readLock(join(place.folder, "kept.lock.json"));
  assert.deepEqual(result!.variants.map(({ name }) => name), spec.variants.map(({ name }) => name));
  const { code, stdout, stderr } = await place.inside(["verify", "kept.lock.json"]);
  assert.match(stdout, /^The losses (do not )?match kept\.lock\.json/m, stdout + stderr);
  if (stdout.includes("On another adapter")) return;
  const different = [...stdout.matchAll(/^\w+ +\d+ +differ from step \d+ +([\d.]+) +([\d.]+)\n +different kernels$/gm)];
  assert.deepEqual([code, different.length], stdout.includes("The losses match") ? [0, 0] : [1, 2], stdout);
  for (const [, then, now] of different) assertRounding(now, then);
});

fullTest("an earlier version's interrupted run is resumed with its rounds, kernels and losses", async () => {
  await using place = await interruptedPlace();
  const { code, stdout, stderr } = await place.tacho(["resume", "last", "--json", "-"]);
  if (/was measured on the adapter/.test(stderr)) return; // a machine with another adapter
  assert.equal(code, 0, stderr);
  const { variants, procedure } = resultSchema.parse(JSON.parse(stdout));
  assert.deepEqual([procedure!.rounds, procedure!.resumed, procedure!.order[0]![0]], [3, 1, "tuned"]);
  for (const { message } of procedure!.warnings.filter(({ kind }) => kind === "resumed")) {
    const [, now, then] = /the loss of step \d+ is ([\d.]+) instead of ([\d.]+): .*kernels have changed/.exec(message)!;
    assertRounding(now, then);
  }
  assert.deepEqual(variants.map(({ name }) => name), ["baseline", "sink", "tuned"]);
  for (const { losses } of variants) {
    assertRounding(Number(losses[0]), 1.3553729057312012);
    assertRounding(Number(losses[1]), 1.7431328296661377);
  }
  assert.notEqual(
    variants[2]!.planFingerprint,
    variants[0]!.planFingerprint,
    "tuned runs the kernels chosen then, by name",
  );
});

// tests/store/damaged_test.ts reads other rows of an unknown form
fullTest("an interrupted run whose rounds have an unknown form is refused", async () => {
  await using place = await interruptedPlace();
  const content = deflateSync(JSON.stringify({ round: 0, order: [], arms: [] }));
  changeStore(place, (db) => db.prepare("UPDATE rounds SET content = ? WHERE round = 0").run(content));
  const { code, stderr } = await place.tacho(["resume", "last"]);
  assert.equal(code, 2);
  assert.match(stderr, /Run 1m81vyjvaewm was kept by another version of Tacho in an unsupported form/);
});
