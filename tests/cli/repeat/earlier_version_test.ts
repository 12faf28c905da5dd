/**
 * A run and a lock file that an early Tacho 0.1.0 kept on a software adapter; the lock file holds the script. Never regenerate
 * them: what was kept once must stay readable.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readLock } from "../../../runtime/cli/repeat/lock_file.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { Place } from "../tacho_process.ts";

const FIXTURES = new URL("../../fixtures/kept/", import.meta.url);

/** A place whose store holds the earlier run, with its lock file beside it. */
async function earlierPlace(): Promise<Place> {
  const place = await Place.make();
  await Deno.mkdir(join(place.folder, "store"));
  for (const file of ["store/runs.sqlite", "kept.lock.json"]) {
    const packed = await Deno.readFile(new URL(`${file.split("/").at(-1)}.gz`, FIXTURES));
    await Deno.writeFile(join(place.folder, file), gunzipSync(packed));
  }
  return place;
}

Deno.test("An earlier version's run is still shown with all that was measured", async () => {
  await using place = await earlierPlace();
  const shown = await place.tacho(["show", "last", "--verbosity", "2", "--raw", "--advice"]);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^kept · model · 75 parameters · batch 8 · seed 1$/m);
  assert.match(shown.stdout, /^baseline +3842 ±18% +×1\.00 /m);
  assert.match(shown.stdout, /^sink +1378 ±0\.6% +×0\.36 +0\.23-0\.57 +unclear /m);
  const json = await place.tacho(["show", "last", "--json", "-"]);
  const { variants } = resultSchema.parse(JSON.parse(json.stdout));
  assert.deepEqual(variants.map(({ name, blocks, ops }) => [name, blocks.length, ops.length > 0]), [
    ["baseline", 3, true],
    ["sink", 3, true],
  ]);
  const compared = await place.tacho(["compare", "last", "last"]);
  assert.match(compared.stdout, /^losses of sink: identical in all \d+ steps that both runs have$/m, compared.stderr);
  const reported = await place.tacho(["report", "last", "--out", "out"]);
  assert.equal(reported.code, 0, reported.stderr);
});

Deno.test("An earlier version's run is repeated with the settings that it had", async () => {
  await using place = await earlierPlace();
  const { stdout, stderr } = await place.tacho(["repeat", "last"]);
  assert.match(stdout, /^The results (agree|do not agree) with run 1m81qk8ma8sj/m, stdout + stderr);
  assert.doesNotMatch(stdout, /^The settings are not those/m);
});

Deno.test("An earlier version's lock file is read, and its losses come out again", async () => {
  await using place = await earlierPlace();
  const { result, spec } = await readLock(join(place.folder, "kept.lock.json"));
  assert.deepEqual(result!.variants.map(({ name }) => name), spec.variants.map(({ name }) => name));
  const { code, stdout, stderr } = await place.tacho(["verify", "kept.lock.json"]);
  assert.match(stdout, /^The losses are (not )?those of kept\.lock\.json/m, stdout + stderr);
  if (!stdout.includes("On another adapter")) assert.equal(code, 0, stdout);
});
