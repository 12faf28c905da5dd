import assert from "node:assert/strict";
import { type Ended, runScript } from "./tacho_process.ts";
import { rehearseIn } from "./rehearse_here.ts";

const VARIANTS = ["--no-store", "--variants", "baseline,all"];

/** Runs the rehearsal with `args`. */
function rehearse(args: readonly string[]): Promise<Ended> {
  return rehearseIn(Deno.cwd(), "", [...VARIANTS, ...args]);
}

Deno.test("--raw prints every block below the matrix", async () => {
  const [raw, plain] = await Promise.all([rehearse(["--raw"]), rehearse([])]);
  assert.match(raw.stdout, /^All blocks, in the order they ran$[^]*^ +\d+ +1 +all +/m);
  assert.doesNotMatch(plain.stdout, /All blocks/);
});

Deno.test("--quiet prints only warnings and errors to stderr", async () => {
  const [quiet, wrong] = await Promise.all([rehearse(["--quiet"]), rehearse(["--quiet", "--steps", "0"])]);
  assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
  assert.match(quiet.stdout, /^rehearsal · /m);
  assert.match(wrong.stderr, /^error: --steps: expected a whole number of at least 1, got "0"\n$/);
});

Deno.test("--report writes report.md with the command line", async () => {
  const folder = await Deno.makeTempDir();
  await runScript("./rehearsal_script.ts", [...VARIANTS, "--report", folder, "loader.prefetch=3"]);
  const text = await Deno.readTextFile(`${folder}/report.md`);
  assert.match(text, /^# rehearsal\n[^]*^\| variant \| images\/s \|/m);
  assert.match(
    text,
    /^deno run -A \S*rehearsal_script\.ts --no-store --variants baseline,all --report \S+ loader\.prefetch=3$/m,
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("errors escape control characters that they quote", async () => {
  const { code, stderr } = await rehearse(["\x1b[2J\x9b1m=\u202e\nok"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: .*\\u\{1b\}\[2J\\u\{9b\}1m/);
  assert.doesNotMatch(stderr.replaceAll("\n", ""), /\p{C}/u);
});
