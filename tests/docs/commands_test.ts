/**
 * Runs the commands of the README and the guide. Scripts get `--list`, which checks the same flags and settings, models and
 * gates; `mpirun` is left out, since not every machine has it, and tests/cluster/ trains with it. What trains for real is in
 * readme_test.ts and the tests of the examples. Commands of `tacho` run in their order, on runs that they find in the store.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { scriptIn, tachoIn } from "../cli/tacho_here.ts";
import { full, sampled } from "../support/full.ts";
import { onnxFile } from "../support/onnx_file.ts";
import { ROOT } from "./blocks.ts";
import { commands } from "./commands.ts";

const scripts = commands.filter((command) => command.includes("deno run -A scripts/") && !command.includes("tacho.ts"));
const tacho = commands.filter((command) => command.startsWith("tacho "));

/** Settings and flags that make a run of scripts/mlp.ts short. */
const SHORT = "hidden=8 loader.batchSize=8 --steps 2 --skip 1 --rounds 2 --no-aa measure.maxSkip=1 measure.opRounds=1";

/** Commands of the full set: the fast one has the same with other arguments, or other tests of what they train. */
const ONLY_FULL = [
  "deno run -A scripts/timing_methods.ts",
  "tacho doctor --json",
  "tacho fit scripts/memory.ts --variants baseline loader.batchSize=64 memoryBudget=64MiB layers=2",
  "tacho lock scripts/mlp.ts amp=O0,O2",
  "tacho repeat last",
  "tacho verify last --steps 20",
];

/** Variants of the run that commands compare with the second, and of the locked experiment. */
const VARIANTS = "--variants baseline,sink";

/** The file of the commands on ONNX. */
const MODEL = onnxFile({
  inputs: [{ name: "x", shape: ["n", 2] }],
  outputs: [{ name: "y" }],
  nodes: [{ type: "Relu", inputs: ["x"], outputs: ["y"] }],
});

let place: string;

Deno.test.beforeAll(async () => {
  place = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-docs-" }));
  await Deno.writeFile(join(place, "model.onnx"), MODEL);
  // The second run is the baseline for gates
  const run = `deno run -A scripts/mlp.ts ${SHORT} --quiet`;
  for (const command of [`${run} ${VARIANTS}`, run, "tacho baseline set"]) {
    const { code, text } = await here(command);
    strictEqual(code, 0, text);
  }
});

Deno.test.afterAll(() => Deno.remove(place, { recursive: true }));

/** Runs a command in a folder of its own, with the scripts of the repository. */
async function sh(command: string): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", located(command).replace(/^tacho/, `deno run -A ${ROOT}/scripts/tacho.ts`)],
    cwd: place,
    env: { TACHO_STORE: join(place, "store"), NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: `${command}\n${decoder.decode(stdout)}${decoder.decode(stderr)}` };
}

/** Runs a command of `tacho` or a scenario in this process. */
async function here(command: string): Promise<{ code: number; text: string }> {
  const words = [...located(command).matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, a, b]) => a ?? b ?? word);
  const store = join(place, "store");
  const { code, stdout, stderr } = words[0] === "tacho"
    ? await tachoIn(place, store, words.slice(1))
    : await scriptIn(place, store, words[3]!, words.slice(4));
  return { code, text: `${command}\n${stdout}${stderr}` };
}

const located = (command: string) => command.replaceAll(/(?<= )(scripts|examples)\//g, `${ROOT}/$1/`);

Deno.test("the pages have commands that run scripts, and commands of tacho", () => {
  deepStrictEqual(ONLY_FULL.filter((command) => !commands.includes(command)), []);
  ok(scripts.length > 10 && tacho.length > 10, `${scripts.length} and ${tacho.length} commands`);
});

for (const command of sampled(scripts.filter(isChosen), 12)) {
  Deno.test(`the script takes the flags and settings: ${command}`, async () => {
    const short = quick(command);
    const { code, text } = await (short.includes("--list") ? here(short) : sh(short));
    strictEqual(code, 0, text);
  });
}

for (const command of tacho.filter(isChosen)) {
  Deno.test(`the command runs on kept runs: ${command}`, async () => {
    // A locked experiment is repeated by the next command, so it is a short one
    const short = command.replace(/^tacho fit .*/, "$& width=16 context=24 heads=2").replace(
      /^tacho lock scripts\/mlp\.ts/,
      command.includes("amp=") ? `$& ${SHORT}` : `$& ${SHORT} ${VARIANTS}`,
    ).replace(
      /^tacho run model\.ts/,
      "$& --list",
    );
    const { code, text } = await here(short);
    // Times depend on the machine; status 1 means that they do not agree, or do not hold a gate
    ok(code === 0 || (code === 1 && /^tacho (gate|repeat) /.test(command)), `${code}: ${text}`);
  });
}

function isChosen(command: string): boolean {
  return full || !ONLY_FULL.includes(command);
}

/** Returns the command without `mpirun`, and with the flag that makes it short. */
function quick(launched: string): string {
  const command = launched.replace(/^mpirun -n \d+ /, "");
  if (/--(help|dry-run|list)\b/.test(command)) return command;
  // It is no scenario
  return command.includes("timing_methods.ts") ? `${command} --repeats 2` : `${command} --list`;
}
