import assert from "node:assert/strict";
import { join } from "node:path";
import { readLock, writeLock } from "../../../runtime/cli/repeat/lock_file.ts";
import { copyFolder } from "../../support/copy_folder.ts";
import { full, fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

/** Reports the same result in every run, without measuring. */
const REHEARSAL = new URL("../rehearsal_script.ts", import.meta.url).pathname;

/** A place with a kept run of two variants, which tests copy. */
let ran: Place;

Deno.test.beforeAll(async () => {
  ran = await Place.make();
  const { code, stderr } = await ran.script(
    REHEARSAL,
    ["--variants", "baseline,amp", "--seed", "7", "--json", "out.json"],
  );
  assert.equal(code, 0, stderr);
});

Deno.test.afterAll(() => ran[Symbol.asyncDispose]());

/** Makes a place with the kept run. */
async function placeWithRun(): Promise<Place> {
  const place = await Place.make();
  await copyFolder(join(ran.folder, "store"), join(place.folder, "store"));
  return place;
}

// The rehearsal's environment is invented, so that something always differs
Deno.test("a kept run is repeated with its flags and agrees with itself", async () => {
  await using place = await placeWithRun();
  const { code, stdout, stderr } = await place.tacho(["repeat", "last"]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stdout,
    /^run \w+: its script runs with all permissions[^]*?\nrun \w+: the environment differs\n[^]*?\n\nrehearsal · [^\n]* seed 7\n[^]*?\n\n– no verdict: [^\n]*\n\n/,
  );
  assert.match(stdout, /^amp +then +140[^]*^ +now +140[^\n]* identical, 2 steps\n\nThe results agree with run \w+\n$/m);
  assert.doesNotMatch(stdout, /^workers/m);
  assert.deepEqual(place.leftovers(), []);
  await assert.rejects(() => Deno.stat(join(place.folder, "out.json")), Deno.errors.NotFound);
  const runs = JSON.parse((await place.here("runs", "--json")).stdout);
  assert.equal(runs.length, 2);
  assert.equal(runs[0].script, runs[1].script);
});

fullTest("a repeated run with a failing variant does not agree", async () => {
  await using place = await placeWithRun();
  const { code, stdout } = await place.inside(["repeat", "last"], { TACHO_REHEARSAL: "fail", LP_NUM_THREADS: "3" });
  assert.equal(code, 1);
  assert.match(stdout, /^run \w+: the environment differs\n[^]*^ {2}variable LP_NUM_THREADS: – then, 3 now\n/m);
  assert.match(stdout, /does not agree: status changed from ok to failed\n/);
  assert.match(stdout, /^The results do not agree with run \w+: amp$/m);
});

Deno.test("changed settings are listed", async () => {
  await using place = await placeWithRun();
  const { code, stdout } = await place.inside(["repeat", "last", "loader.batchSize=16"]);
  assert.equal(code, 1);
  assert.match(stdout, /^The settings differ from those of run \w+:\n {2}loader\.batchSize: 64 then, 16 now$/m);
  assert.match(stdout, /^The results cannot be compared with run \w+: the settings differ$/m);
  if (!full) return;
  assert.equal((await place.tacho(["repeat", "last~1", "--rounds", "2"])).code, 0);
  assert.equal((await place.tacho(["repeat", "last", "--list"])).code, 0);
});

fullTest("Ctrl-C ends the repeated run and removes its copy", async () => {
  await using place = await placeWithRun();
  const child = place.start(["repeat", "last"], { TACHO_REHEARSAL: "wait" });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("waiting")) text += (await reader.read()).value ?? assert.fail(`ended early: ${text}`);
  assert.equal(place.leftovers().length, 1);
  child.kill("SIGINT");
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
  await child.stderr.cancel();
  assert.equal((await child.status).code, 130);
  assert.match(text, /interrupted: figures up to the interruption/);
  assert.deepEqual(place.leftovers(), []);
});

fullTest("a lock file runs in another folder; that of a run includes its result", async () => {
  await using place = await Place.make();
  const locked = await place.inside(["lock", REHEARSAL, "amp=O0,O2", "--seed", "3", "-o", "x.lock.json"]);
  assert.equal(locked.code, 0, locked.stderr);
  assert.equal(locked.stdout, "x.lock.json: rehearsal, 2 variants, 4 modules; run it with: tacho repeat x.lock.json\n");
  const { args, spec, environment, modules } = readLock(join(place.folder, "x.lock.json"));
  assert.deepEqual(args, ["amp=O0,O2", "--seed", "3"]);
  assert.deepEqual([spec.seed, spec.variants.map(({ name }) => name)], [3, ["amp=O0", "amp=O2"]]);
  assert.equal((spec.variants[1]!.config.amp as { level: string }).level, "O2");
  assert.equal(environment.deno, Deno.version.deno);
  assert.deepEqual(modules.map(({ path }) => path), [
    "cli/rehearsal_script.ts",
    "report/profile_fixture.ts",
    "report/result_fixture.ts",
    "support/op_facts.ts",
  ]);
  const ran = await place.inside(["repeat", "x.lock.json"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /^x\.lock\.json: runs in a sandbox [^]* · seed 3\n[^]*^amp=O2 +140/m);
  assert.doesNotMatch(ran.stdout, /The results/);
  const again = await place.inside(["lock", "last", "--output", "-"]);
  await place.write("y.lock.json", again.stdout);
  assert.equal(readLock(join(place.folder, "y.lock.json")).result!.variants.length, 2);
  const repeated = await place.inside(["repeat", "y.lock.json", "--no-store"]);
  assert.equal(repeated.code, 0, repeated.stdout + repeated.stderr);
  assert.match(repeated.stdout, /^The results agree with y\.lock\.json$/m);
  assert.equal(JSON.parse((await place.here("runs", "--json")).stdout).length, 1);
  assert.deepEqual(place.leftovers(), []);
});

Deno.test("verify reports the first step with another loss", async () => {
  await using place = await placeWithRun();
  if (full) {
    const same = await place.inside(["verify", "last"]);
    assert.equal(same.code, 0, same.stdout + same.stderr);
    assert.match(same.stdout, /^baseline +2 +identical$[^]*^The losses match run \w+ bit for bit$/m);
  }
  const file = join(place.folder, "x.lock.json");
  await place.inside(["lock", "last", "-o", file]);
  const recipe = readLock(file);
  const [baseline, amp] = recipe.result!.variants;
  const changed = { ...recipe.result!, variants: [baseline!, { ...amp!, losses: [2.31, 1.7322] }] };
  await Deno.writeTextFile(file, writeLock({ ...recipe, result: changed }));
  const other = await place.inside(["verify", "x.lock.json"]);
  assert.equal(other.code, 1);
  assert.match(other.stdout, /^baseline +2 +identical$/m);
  assert.match(other.stdout, /^amp +2 +differ from step 1 +1\.7322 +1\.7321$/m);
  assert.match(other.stdout, /^The losses do not match x\.lock\.json$/m);
  if (full) assert.equal((await place.inside(["verify", "x.lock.json", "--steps", "1"])).code, 0);
});

Deno.test("runs that cannot be repeated exit with 2 and one message", async () => {
  await using place = await Place.make();
  await place.write("not.json", "{}");
  await place.write("script.ts", "console.log(1);\n");
  await place.write("broken.ts", 'import "./missing.ts";\n');
  const messages: [readonly string[], RegExp][] = [
    [["repeat", "last"], /^error: Unknown run "last": no runs are kept in \S+ yet\n$/],
    [["repeat", "not.json"], /^error: not\.json: is not a lock file; expected a file written by "tacho lock"\n$/],
    [
      ["repeat"],
      /^error: tacho repeat: expected <run>, got nothing; usage: tacho repeat \[options\] <run> \[args...\]\n$/,
    ],
    [["verify", "missing.json"], /^error: missing\.json: cannot be read/],
    [["lock", "script.ts"], /^error: script\.ts: is not a scenario script; expected one that ends with/],
    [["lock", "broken.ts"], /error: /],
    [["lock", "missing.ts"], /^error: tacho lock: missing\.ts cannot be read /],
    [
      ["lock", REHEARSAL, "-o", "/no/such/x.json"],
      /^error: --output \/no\/such\/x\.json: folder \/no\/such not found\n$/,
    ],
    [["lock", REHEARSAL, "loader.numWorker=2"], /did you mean "loader\.numWorkers"\?/],
  ];
  for (const [args, message] of messages) {
    // The script itself prints the last message
    const { code, stderr } = await (args.includes("loader.numWorker=2") ? place.tacho(args) : place.inside(args));
    assert.match(stderr, message, args.join(" "));
    assert.notEqual(code, 0, args.join(" "));
    if (args[1] !== "broken.ts") assert.equal(code, 2, args.join(" "));
  }
  assert.deepEqual(place.leftovers(), []);
});
