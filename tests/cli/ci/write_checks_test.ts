import assert from "node:assert/strict";
import { join } from "node:path";
import { readCases, sumCases } from "../../support/junit.ts";
import { rehearseIn } from "../rehearse_here.ts";
import { type Ended, Place } from "../tacho_process.ts";

const ROOT = join(import.meta.dirname!, "../../..");
const FILE = "tests/cli/rehearsal_script.ts";
const REHEARSAL = join(ROOT, FILE);

/** Line of a variant in the script, from 1. */
const LINE = (await Deno.readTextFile(REHEARSAL)).split("\n").findIndex((line) => /^\s+amp: /.test(line)) + 1;

const GATES = ["--gate", "ips.amp>=150", "--gate", "ips.baseline>=100"];
const WORKSPACE = { GITHUB_WORKSPACE: ROOT, GITHUB_ACTIONS: "", GITLAB_CI: "", CI_PROJECT_DIR: "" };

/** Runs the scenario in the process of the test, whose file annotations name then. */
function rehearse(
  { folder }: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>> = WORKSPACE,
  happening = "",
): Promise<Ended> {
  return rehearseIn(folder, join(folder, "store"), args, happening, env);
}

Deno.test("unmet gates and failed variants are annotated at the variant's line, and the summary has report and gates", async () => {
  await using place = await Place.make();
  const summary = join(place.folder, "summary.md");
  const env = { ...WORKSPACE, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const unmet = await place.script(REHEARSAL, [...GATES, "--annotations", "auto"], env);
  assert.equal(unmet.code, 1, unmet.stderr);
  const lines = unmet.stdout.split("\n").filter((line) => line.startsWith("::"));
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.equal(
    lines[0],
    `::error file=${FILE},line=${LINE},title=ips.amp>=150 (amp)::amp: measured 140 [140, 140] images/s, ` +
      "wanted >= 150 images/s; the whole interval is on the wrong side",
  );
  const text = await Deno.readTextFile(summary);
  assert.match(text, /^## Gates\n\n\| gate \|[^]*\n# rehearsal\n/);
  const failed = await rehearse(place, ["--annotations", "github"], env, "fail");
  assert.equal(failed.code, 3);
  assert.match(
    failed.stdout,
    /^::error (?:file=\S+,(?:line=\d+,)?)?title=completes \(amp\)::amp: The adapter has no shader-f16$/m,
  );
});

Deno.test("auto writes nothing outside a CI job, and GitLab's report in its jobs", async () => {
  await using place = await Place.make();
  const args = [...GATES, "--annotations", "auto"];
  const outside = await rehearse(place, args);
  assert.deepEqual([outside.code, /^::/m.test(outside.stdout)], [1, false]);
  assert.equal([...Deno.readDirSync(place.folder)].some(({ name }) => name.startsWith("gl-")), false);
  await place.script(REHEARSAL, args, { ...WORKSPACE, GITLAB_CI: "true" });
  const report = JSON.parse(await Deno.readTextFile(join(place.folder, "gl-code-quality-report.json")));
  assert.deepEqual(report.map(({ severity, location }: Record<string, unknown>) => [severity, location]), [
    ["major", { path: FILE, lines: { begin: LINE } }],
  ]);
  assert.match(report[0].fingerprint, /^[0-9a-f]{64}$/);
});

Deno.test("--junit has a test case for each variant and gate, and - keeps stdout for it", async () => {
  await using place = await Place.make();
  const { code, stdout, stderr } = await place.script(REHEARSAL, [...GATES, "--junit", "-"], WORKSPACE);
  assert.equal(code, 1);
  const cases = sumCases(readCases(stdout)!.values());
  assert.deepEqual([cases.passed, cases.failed, cases.skipped], [5, 1, []]);
  assert.match(stdout, /<testcase name="ips\.amp&gt;=150 \(amp\)" classname="rehearsal\.amp" file="\S+" line="\d+">/);
  assert.match(stderr, /^2 gates: 1 not met\n/m);
  const bad = await rehearse(place, ["--junit", "nowhere/checks.xml"]);
  assert.deepEqual([bad.code, bad.stderr], [2, "error: --junit nowhere/checks.xml: folder nowhere not found\n"]);
});

Deno.test("gate and compare print JSON, and a kept run's gates are annotated", async () => {
  await using place = await Place.make();
  assert.equal((await rehearse(place, [])).code, 0);
  assert.equal((await place.script(REHEARSAL, [])).code, 0);
  const gate = await place.here("gate", "last", "ips.amp>=150", "ips.all>=100", "--json");
  const { passed, gates } = JSON.parse(gate.stdout);
  assert.deepEqual([gate.code, passed, gates.map(({ state }: { state: string }) => state)], [1, false, [
    "fail",
    "pass",
  ]]);
  const annotated = await place.inside(["gate", "last", "ips.amp>=150", "--annotations", "github"], WORKSPACE);
  assert.match(annotated.stdout, new RegExp(`^::error file=${FILE.replaceAll(".", "\\.")},line=${LINE},`, "m"));
  const compared = JSON.parse((await place.here("compare", "last~1", "last", "--json", "--variants", "amp")).stdout);
  assert.deepEqual(Object.keys(compared), ["then", "now", "environment", "variants", "settings"]);
  assert.deepEqual(compared.variants.map(({ name }: { name: string }) => name), ["amp"]);
});
