import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../../../runtime/core/sha256.ts";
import { result, variant } from "../../../report/result_fixture.ts";
import { full, fullTest } from "../../../support/full.ts";
import { ProcessOutput } from "../../../support/process_output.ts";
import { rehearseIn } from "../../rehearse_here.ts";
import { Place } from "../../tacho_process.ts";
import { lockOf } from "./hostile_locks.ts";

/** Reports the same result in every run, without measuring. */
const REHEARSAL = new URL("../../rehearsal_script.ts", import.meta.url).pathname;

fullTest("the parent prints, writes and keeps the result of a sandboxed run, which stays sandboxed", async () => {
  await using place = await Place.make();
  await place.inside(["lock", REHEARSAL, "--variants=baseline", "-o", "x.lock.json"]);
  const flags = ["--json", "out.json", "--report", "report", "--gate", "ips.baseline>=9000"];
  const { code, stdout, stderr } = await place.inside(["repeat", "x.lock.json", ...flags]);
  assert.equal(code, 1, stdout + stderr);
  assert.match(stdout, /^x\.lock\.json: runs in a sandbox [^]*^baseline +2963 [^]*^1 gate: 1 not met$/m);
  const result = JSON.parse(await Deno.readTextFile(join(place.folder, "out.json")));
  assert.equal(result.environment.sandbox, true);
  assert.equal(result.environment.variables.DENO_DIR, Deno.env.get("DENO_DIR"));
  assert.match(await Deno.readTextFile(join(place.folder, "report/report.md")), /rehearsal/);
  assert.match(await Deno.readTextFile(join(place.folder, "report/trace.json")), /"step"/);
  const [run] = JSON.parse((await place.here("runs", "--json")).stdout);
  assert.deepEqual([run.status, run.scenario], ["complete", "rehearsal"]);
  if (full) {
    const again = await place.inside(["verify", "last"]);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.match(again.stdout, /^run \w+: runs in a sandbox /);
  }
  assert.deepEqual(place.leftovers(), []);
});

fullTest("Ctrl-C ends a sandboxed run, which is kept and cannot be resumed; twice, one that ignores it", async () => {
  await using place = await Place.make();
  const deaf = 'Deno.addSignalListener("SIGINT", () => console.log("heard")); console.log("waiting");';
  const endless = "setInterval(() => {}, 1000); await new Promise(() => {});";
  await place.write("deaf.lock.json", lockOf({ "script.ts": `${deaf} ${endless}` }));
  await place.inside(["lock", REHEARSAL, "--variants=baseline", "-o", "x.lock.json"]);
  await Promise.all(["x", "deaf"].map(async (name) => {
    const child = place.start(["repeat", `${name}.lock.json`], { TACHO_REHEARSAL: "wait" });
    const [stdout, stderr] = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)];
    await stdout.until("waiting\n");
    child.kill("SIGINT");
    if (name === "deaf") {
      await stdout.until("heard\n");
      child.kill("SIGINT");
    }
    const printed = await Promise.all([stdout.all(), stderr.all()]);
    assert.equal((await child.status).code, 130, printed.join());
  }));
  const resumed = await place.inside(["resume", "last"]);
  assert.equal(resumed.code, 2);
  assert.match(
    resumed.stderr,
    /^error: Run (\w+) ran in the sandbox and cannot be resumed; repeat it: tacho repeat \1\n$/,
  );
  assert.deepEqual(place.leftovers(), []);
});

fullTest("a sandboxed script that ignores Ctrl-C ends after the time of grace", async () => {
  await using place = await Place.make();
  const deaf = 'Deno.addSignalListener("SIGINT", () => {}); console.log("waiting"); for (;;);';
  await place.write("deaf.lock.json", lockOf({ "script.ts": deaf }));
  const child = place.start(["repeat", "deaf.lock.json"], { TACHO_GRACE: "0.1" });
  const stdout = new ProcessOutput(child.stdout);
  await stdout.until("waiting\n");
  child.kill("SIGINT");
  const [{ code }] = await Promise.all([child.status, stdout.all(), child.stderr.cancel()]);
  assert.equal(code, 130);
  assert.deepEqual(place.leftovers(), []);
});

Deno.test("a forged result is printed without control characters, and has the name and hash of the lock file", async () => {
  await using place = await Place.make();
  const forged = result([variant("a\x1b[2J")], { scenario: { ...result([]).scenario, file: "/etc/passwd" } });
  const text = `console.log(${JSON.stringify(JSON.stringify({ type: "result", result: forged }))});`;
  await place.write("x.lock.json", lockOf({ "script.ts": text }));
  const { stdout, stderr } = await place.inside(["repeat", "x.lock.json", "--json", "out.json", "--report", "report"]);
  assert.match(stdout, /^a\\u\{1b\}\[2J /m, stdout + stderr);
  assert(!`${stdout}${stderr}`.includes("\x1b"));
  const { scenario, environment } = JSON.parse(await Deno.readTextFile(join(place.folder, "out.json")));
  assert.deepEqual([scenario.file, scenario.sha256], ["script.ts", sha256(text)]);
  assert.equal(environment.sandbox, true);
  assert.match((await place.here("show", "last")).stdout, /^run .* · sandboxed$/m);
});

Deno.test("tacho run --sandbox trains a script from a copy, with workers, and reads only what it names", async () => {
  await using place = await Place.make();
  await place.write("scripts/classes.json", "4");
  await place.write(
    "scripts/small.ts",
    `import { crossEntropy, flatten, idx, linear, run, scenario, sequential, sgd, syntheticImages, transforms } from ${
      JSON.stringify(new URL("../../../../mod.ts", import.meta.url).href)
    };
import classes from "./classes.json" with { type: "json" };

export default scenario({
  name: "small",
  model: () => sequential(flatten(), linear(classes)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ channels: 1, height: 8, width: 8, classes, length: 64, transforms: [transforms.map(({ data }) => data)] }),
  loader: { batchSize: 8 },
  variants: { baseline: {}, workers: { loader: { numWorkers: 1 } }, files: { data: idx({ dir: "digits" }) } },
});
if (import.meta.main) await run();
`,
  );
  const flags = [
    "--sandbox",
    "--explain",
    "--rounds",
    "1",
    "--steps",
    "2",
    "--skip",
    "1",
    "--no-aa",
    "measure.maxSkip=1",
  ];
  const trained = await place.inside([
    "run",
    "scripts/small.ts",
    ...flags,
    `--variants=${full ? "baseline,workers" : "workers"}`,
  ]);
  assert.equal(trained.code, 0, trained.stdout + trained.stderr);
  assert.match(trained.stderr, /^scripts\/small\.ts: runs in a sandbox /);
  assert.match(trained.stdout, /^workers +\d[^]*^final loss: after \d+ steps( in every variant)?$/m);
  const refused = await place.inside(["run", "scripts/small.ts", ...flags, "--variants=files"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^error: Cannot list the IDX folder digits: .* access to "digits"; add --read digits$/m);
  const direct = await rehearseIn(place.folder, join(place.folder, "store"), ["--sandbox"]);
  assert.equal(direct.code, 2);
  assert.match(
    direct.stderr,
    /^error: --sandbox: this script already runs with all permissions; use tacho run \S+\.ts --sandbox$/m,
  );
});
