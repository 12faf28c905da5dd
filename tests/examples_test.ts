/**
 * Runs each example, and looks for measured numbers in what it prints. Scenarios with a JSON result run in the process of the
 * test, the other examples as their first lines say.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type Result, resultSchema } from "../mod.ts";
import { scriptIn } from "./cli/tacho_here.ts";
import { full, fullTest } from "./support/full.ts";

const folder = join(import.meta.dirname!, "../examples");

async function run(file: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", join(folder, file), ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  return decoder.decode(stdout);
}

async function measure(file: string, ...args: string[]): Promise<Result> {
  const flags = ["--no-aa", "--no-store", "--json", "-"];
  const { code, stdout, stderr } = await scriptIn(folder, "", join(folder, file), [...args, ...flags]);
  strictEqual(code, 0, stderr);
  return resultSchema.parse(JSON.parse(stdout));
}

/** Plans a scenario without running it, and checks that each variant has a plan. */
async function checkPlanned(file: string, args: readonly string[], names: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await scriptIn(folder, "", join(folder, file), [...args, "--dry-run"]);
  strictEqual(code, 0, stderr);
  for (const name of names) match(stdout, new RegExp(`^${name} +\\d`, "m"));
}

/** Settings of the least measurement. */
const ONCE = ["--steps", "1", "--skip", "1", "--rounds", "1", "measure.maxSkip=1", "measure.opRounds=1"];

/** Every variant has a speed, a finite loss per step, and lost nothing on the way. */
function checkMeasured({ variants }: Result, names: readonly string[]): void {
  deepStrictEqual(variants.map(({ name }) => name), names);
  for (const { name, status, metrics, losses } of variants) {
    strictEqual(status, "ok", name);
    ok(metrics.ips !== null && metrics.ips.value > 0, `${name}: no speed`);
    ok(losses.length > 0 && losses.every((loss) => Number.isFinite(loss)), `${name}: losses`);
  }
}

// tests/docs/readme_test.ts runs the same scenario in the fast set
fullTest("01: the matrix has a line of numbers for each variant", async () => {
  const text = await run("01_first_scenario.ts", ...ONCE, "--rounds", "2", "--no-aa", "loader.batchSize=8");
  for (const name of ["baseline", "lossPerBlock", "sink"]) {
    match(text, new RegExp(`^${name} +\\d+.* ×\\d+\\.\\d\\d`, "m"));
  }
});

fullTest("02: a custom model trains, and its parameters can be swept", async () => {
  checkMeasured(await measure("02_own_model.ts", "--steps", "1", "--rounds", "1"), ["baseline", "shallow"]);
  const swept = await measure("02_own_model.ts", "width=4", "blocks=1,2", ...ONCE);
  checkMeasured(swept, ["blocks=1", "blocks=2"]);
});

fullTest("03: a model learns custom data", async () => {
  const names = ["baseline", "sink"];
  const result = await measure("03_own_data.ts", `--variants=${names}`);
  checkMeasured(result, names);
  for (const { name, evaluations } of result.variants) {
    ok(evaluations.at(-1)!.accuracy! > 0.9, `${name}: accuracy ${evaluations.at(-1)!.accuracy}`);
  }
});

fullTest("04: a sweep runs every combination", async () => {
  const names = ["batchSize=16,sink=0", "batchSize=16,sink=8", "batchSize=128,sink=0", "batchSize=128,sink=8"];
  checkMeasured(await measure("04_sweep.ts", ...ONCE), names);
});

// tests/trainer/ drives a trainer in the fast set
fullTest("05: the loop stops early and keeps the learned parameters", async () => {
  const text = await run("05_trainer.ts");
  const epochs = [...text.matchAll(/^epoch (\d+): loss (\d+\.\d+), test accuracy (\d+\.\d) %$/gm)];
  ok(epochs.length > 1 && epochs.length < 60, text);
  ok(Number(epochs.at(-1)![2]) < Number(epochs[0]![2]), text);
  match(text, /^fc1\.weight \[64, 2\]$/m);
});

Deno.test("06: a transformer of layers and tensor ops is planned and, in the full set, learns, fused or not", async () => {
  // tests/nn/ trains its layers in the fast set, and example 07 a model that is fused or not
  const swept = "compile.fusion=true,false";
  await checkPlanned("06_transformer.ts", [swept], ["fusion=true", "fusion=false"]);
  if (!full) return;
  const result = await measure("06_transformer.ts", "--rounds", "1", "--steps", "10", swept);
  checkMeasured(result, ["fusion=true", "fusion=false"]);
  const [fused, unfused] = result.variants.map(({ losses }) => losses);
  ok(fused!.at(-1)! < fused![0]!, `losses ${fused}`);
  // The number of warm-up steps differs
  const steps = Math.min(fused!.length, unfused!.length);
  for (let i = 0; i < steps; i++) {
    ok(Math.abs(Number(fused![i]) - Number(unfused![i])) < 1e-3, `step ${i} of ${fused} and ${unfused}`);
  }
});

Deno.test("07: a hand-written op is compared with the composed one, and both have the same losses", async () => {
  const result = await measure("07_own_op.ts", "width=16", ...ONCE, "--steps", "2");
  checkMeasured(result, ["composed", "fused"]);
  const [composed, fused] = result.variants.map(({ losses }) => losses);
  ok(Math.abs(Number(fused![2]) - Number(composed![2])) < 1e-4, `${composed} and ${fused}`);
});

fullTest("09: a program measures until a gate does not hold", async () => {
  const text = await run("09_library.ts");
  match(text, /^batch size 16\n[^]*^baseline +\d/m);
  ok(/^a sink is not shown to be 10 % faster/m.test(text) || /^batch size 256$/m.test(text), text);
});

Deno.test("every example has a test", () => {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  deepStrictEqual(files, [
    "01_first_scenario.ts",
    "02_own_model.ts",
    "03_own_data.ts",
    "04_sweep.ts",
    "05_trainer.ts",
    "06_transformer.ts",
    "07_own_op.ts",
    "08_own_loop.ts",
    "09_library.ts",
    "10_notebook.ipynb", // tests/library/notebook_test.ts
    "11_text.ts",
    "ci", // tests/cli/ci/workflows_test.ts
  ]);
});

Deno.test("08: events and ranges have times on the device", async () => {
  const text = await run("08_own_loop.ts");
  match(text, /^20 dispatches: \d+\.\d\d ms on the device/m);
  for (const range of ["compute", "read"]) {
    for (const track of ["host", "device"]) {
      match(text, new RegExp(`^${range} on the ${track}: \\d+\\.\\d\\d ms$`, "m"));
    }
  }
});

Deno.test("11: a GPT is planned and, in the full set, learns a text, in tokens per second", async () => {
  // tests/scripts/gpt_test.ts trains one in the fast set
  const names = ["baseline", "shallow"];
  await checkPlanned("11_text.ts", ["width=16", "context=16"], names);
  if (!full) return;
  const result = await measure("11_text.ts", "width=16", "context=16", ...ONCE, "--steps", "2");
  checkMeasured(result, names);
  ok(result.variants.every(({ metrics }) => metrics.ips!.unit === "tokens/s"));
  const sizes = ["layers=1", "width=8", "--steps", "1", "--rounds", "1"];
  const own = [`data.file=${join(folder, "../README.md")}`, "data.tokenizer=bytes"];
  const swept = await measure("11_text.ts", "context=8,16", ...own, ...sizes);
  checkMeasured(swept, ["context=8", "context=16"]);
  deepStrictEqual(swept.variants.map(({ blocks }) => blocks[0]!.samples), [128, 256]);
});
