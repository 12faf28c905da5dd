import assert from "node:assert/strict";
import { resultSchema } from "../../runtime/result/schema.ts";
import { command, type Ended, runScript } from "./tacho_process.ts";
import { rehearseIn } from "./rehearse_here.ts";

/** Runs the rehearsal with `args`, without keeping it; `happening` sets its outcome. */
function rehearse(args: readonly string[], happening = ""): Promise<Ended> {
  return rehearseIn(Deno.cwd(), "", ["--no-store", ...args], happening);
}

/** The same in a process, whose main module is the script. */
function rehearseApart(args: readonly string[], happening = ""): Promise<Ended> {
  return runScript("./rehearsal_script.ts", ["--no-store", ...args], { TACHO_REHEARSAL: happening });
}

Deno.test("a run prints its variants to stderr and the uncoloured matrix to stdout", async () => {
  const { code, stdout, stderr } = await rehearse(["--variants", "baseline,all"]);
  assert.equal(code, 0);
  assert.equal(stderr, "rehearsal: 2 variants: baseline, all\n");
  assert.match(stdout, /^rehearsal · resnet20 · 272,474 parameters · batch 64 · seed 1\n[^]*\n\n– no verdict: .*\n$/);
  assert.match(stdout, /^baseline +140 ±0.0% +×1.00 [^]*^all +140 ±0.0%/m);
  assert(!stdout.includes("\x1b"));
});

Deno.test("--json writes a valid result; with -, stdout holds only that", async () => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const [onto, into] = await Promise.all([rehearseApart(["--json", "-", "--seed", "7"]), rehearse(["--json", file])]);
  const result = resultSchema.parse(JSON.parse(onto.stdout));
  assert.equal(result.scenario.seed, 7);
  assert.match(result.scenario.file!, /tests\/cli\/rehearsal_script\.ts$/);
  assert.match(result.scenario.sha256!, /^[0-9a-f]{64}$/);
  assert.equal(into.code, 0);
  assert.match(into.stdout, /^rehearsal · /m);
  assert.equal(resultSchema.parse(JSON.parse(await Deno.readTextFile(file))).scenario.seed, 1);
  await Deno.remove(file);
});

Deno.test("--json is checked before anything runs", async () => {
  const [missing, folder] = await Promise.all([
    rehearse(["--json", "/no/such/place.json"], "throw"),
    rehearse(["--json", Deno.cwd()], "throw"),
  ]);
  assert.deepEqual(missing, {
    code: 2,
    stdout: "",
    stderr: "error: --json /no/such/place.json: folder /no/such not found\n",
  });
  assert.match(folder.stderr, /^error: --json .*: is a folder; expected a file name\n$/);
  const unwritable = await rehearse(["--json", "/proc/tacho.json"], "throw");
  assert.deepEqual([unwritable.code, unwritable.stdout], [2, ""]);
  assert.match(unwritable.stderr, /^error: --json \/proc\/tacho\.json: (cannot be written|folder \S+ not found)/);
  assert.match((await rehearse(["--tune-time", "5"], "throw")).stderr, /^error: --tune-time: needs --tune\n$/);
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "of an earlier run");
  await rehearse(["--json", file], "throw");
  assert.equal(await Deno.readTextFile(file), "of an earlier run");
  await Deno.remove(file);
  await rehearse(["--json", file], "throw");
  await assert.rejects(Deno.stat(file), "a new file is removed again");
});

Deno.test("--verbosity and --sort print the profile, and the matrix last; --log prints a log in its place", async () => {
  const [brief, full, log] = await Promise.all([
    rehearse(["--variants", "baseline", "--verbosity", "1"]),
    rehearse(["--variants", "baseline", "--sort", "total", "--profile-steps", "2:9"]),
    rehearse(["--variants", "baseline", "--log", "nnc"]),
  ]);
  assert.match(brief.stdout, /^Forward Propagation Time : 0\.0036 sec$[^]*^Step trace[^]*^baseline +2963 /m);
  assert.doesNotMatch(brief.stdout, /^Ops/m);
  assert.match(full.stdout, /^Ops: 9 by total, over 7 profiled steps$/m);
  assert.match(log.stdout, /^forward_all 3\.000000\(ms\)$[^]*^Profile Completed\.$/m);
  assert.doesNotMatch(log.stdout, /^baseline +2963 /m);
  assert.doesNotMatch(log.stdout, /^Ops/m);
});

Deno.test("--report writes the result, the profile and the trace", async () => {
  const root = await Deno.makeTempDir();
  const folder = `${root}/new/report`;
  const { code, stdout } = await rehearse(["--variants", "baseline,amp", "--report", folder]);
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /^Ops/m);
  const read = (name: string) => Deno.readTextFile(`${folder}/${name}`);
  assert.equal(resultSchema.parse(JSON.parse(await read("result.json"))).variants.length, 2);
  assert.match(await read("profile.csv"), /^function,layer,type,ms,variant,[^]*^forward_function,fc,Affine,0\.5,amp,/m);
  const { traceEvents } = JSON.parse(await read("trace.json"));
  assert(traceEvents.some(({ name, ph }: { name: string; ph: string }) => name === "step" && ph === "X"));
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "plots",
    "profile.csv",
    "report.html",
    "report.md",
    "result.json",
    "trace.json",
  ]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("--report is checked before anything runs", async () => {
  const file = await Deno.makeTempFile();
  const [ofFile, below, empty] = await Promise.all([
    rehearse(["--report", file], "throw"),
    rehearse(["--report", `${file}/x`], "throw"),
    rehearse(["--report="], "throw"),
  ]);
  assert.deepEqual([ofFile.code, below.code, empty.code], [2, 2, 2]);
  assert.equal(ofFile.stderr, `error: --report ${file}: cannot be written (it is not a folder)\n`);
  assert.equal(below.stderr, `error: --report ${file}/x: cannot be written (it is not a folder)\n`);
  assert.equal(empty.stderr, 'error: --report: expected the name of a folder, got ""\n');
  await Deno.remove(file);
});

Deno.test("--list prints the variants and their differences", async () => {
  const [all, swept] = await Promise.all([rehearse(["--list"]), rehearse(["--list", "amp=O0,O2", "depth=20,56"])]);
  assert.deepEqual(all, {
    code: 0,
    stderr: "",
    stdout: `\
baseline  the baseline
workers   loader.numWorkers 0 -> 2
amp       amp.level O0 -> O2
all       loader.numWorkers 0 -> 2, amp.level O0 -> O2
`,
  });
  assert.match(swept.stdout, /^amp=O2,depth=56 .*amp.level O0 -> O2/m);
});

Deno.test("--dry-run prints a table, or JSON with the whole configuration", async () => {
  const [table, json, faulty] = await Promise.all([
    rehearse(["--dry-run"]),
    rehearse(["--dry-run", "--json", "-", "--adapter", "H200"]),
    rehearse(["--dry-run"], "fail"),
  ]);
  assert.equal(table.code, 0);
  assert.match(table.stdout, /^rehearsal: dry run for any adapter, nothing was run\n/);
  assert.match(table.stdout, /^workers +64x3x32x32 +O0 +0 +2 +272,474 +1.00 +2.00 +<0.01$/m);
  const { adapter, variants } = JSON.parse(json.stdout);
  assert.equal(adapter, "H200");
  assert.equal(variants[1].config.loader.numWorkers, 2);
  assert.equal(faulty.code, 2);
  assert.match(faulty.stdout, /^amp cannot run: needs 90 GiB, 8 are allowed$/m);
});

Deno.test("--help prints usage, examples, parameters, keys that the scenario sets, variants and exit statuses", async () => {
  const { code, stdout, stderr } = await rehearseApart(["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Usage: deno run -A \S*rehearsal_script\.ts \[options\] \[key=value\.\.\.\]$/m);
  assert.match(stdout, /^ {2}depth +layers of the network \(integer > 0; default 20\)$/m);
  assert.match(stdout, /^ {2}loader\.batchSize +samples per batch[^]*?\(integer >= 1;\s+default\s+32,\s+here\s+64\)$/m);
  assert.match(stdout, /^ {2}optimizer\.momentum [^]*?default\s+0,\s+here\s+0\.9\)$/m);
  assert.doesNotMatch(stdout, /^ {2}(amp\.scaler|measure|sink|memoryBudget)/m, "keys that no variant sets");
  assert.match(stdout, /^Variants:\n {2}baseline {2}the baseline\n {2}workers {3}loader\.numWorkers 0 -> 2$/m);
  assert.match(stdout, /^ {2}130 +interrupted/m);
  assert.match(stdout, /^ {2}NO_COLOR /m);
  for (const line of stdout.split("\n")) assert(line.length <= 100, line);
});

Deno.test("a failed variant sets the exit status even if others ran", async () => {
  const { code, stdout } = await rehearse([], "fail");
  assert.equal(code, 3);
  assert.match(stdout, /^amp failed: The adapter has no shader-f16$/m);
  assert.match(stdout, /^all +140/m);
});

Deno.test("errors print one readable message to stderr and set the exit status", async () => {
  const begun = "rehearsal: 4 variants: baseline, workers, amp, all\n";
  const [lost, bug, flag, key, name] = await Promise.all([
    rehearse([], "lost"),
    rehearse([], "throw"),
    rehearse(["--stpes", "3"]),
    rehearse(["loader.numWorker=2"]),
    rehearse(["--variants", "work"]),
  ]);
  assert.deepEqual(lost, { code: 3, stdout: "", stderr: `${begun}error: The device was lost: driver reset\n` });
  assert.equal(bug.code, 70);
  assert.match(bug.stderr, /error: TypeError: x is not a function\n.*bug.*--debug/);
  assert.deepEqual(flag, { code: 2, stdout: "", stderr: `error: Unknown flag --stpes; did you mean "--steps"?\n` });
  assert.equal(key.code, 2);
  assert.match(key.stderr, /^error: .*loader\.numWorker.*did you mean "loader\.numWorkers"\?\n$/);
  assert.equal(name.code, 2);
  assert.match(name.stderr, /^error: .*"work".*did you mean "workers"\?\n$/);
});

Deno.test("--debug prints the stack trace of an error", async () => {
  const { code, stderr } = await rehearseApart(["--debug"], "throw");
  assert.equal(code, 70);
  assert.match(stderr, /error: TypeError: x is not a function\n +at .*rehearsal_script\.ts:\d+/);
});

Deno.test("Ctrl-C prints what was measured and exits with 130", async () => {
  const child = command("./rehearsal_script.ts", ["--no-store"], { TACHO_REHEARSAL: "wait" }).spawn();
  const stderr = new Response(child.stderr).text();
  let stdout = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (stdout === "") child.kill("SIGINT");
    stdout += text;
  }
  assert.equal((await child.status).code, 130);
  assert.match(stdout, /^baseline† [^]*^† {2}interrupted: [a-z ]+$/m);
  assert.match(await stderr, /^Interrupted: finishing the step/m);
});
