/** Tests of `measure()` in programs of their own, outside the repository. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fullTest } from "../support/full.ts";

const root = join(import.meta.dirname!, "../..");

const HEAD = `
import {
  crossEntropy, InputError, linear, measure, scenario, sequential, sgd, tensors, transforms,
} from ${JSON.stringify(pathToFileURL(join(root, "mod.ts")).href)};
const points = scenario({
  name: "points",
  model: sequential(linear(288), linear(2)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: tensors({
    input: { shape: [4], data: new Float32Array(64 * 4).fill(1) },
    target: { data: new Int32Array(64) },
    classes: 2,
  }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 2, rounds: 2 },
  variants: { baseline: {}, sink: { sink: 2 } },
});
`;

/** Runs a program in an empty folder, with empty folders for the store, the cache and the home. */
async function runOutside(code: string, permissions: readonly string[]) {
  const place = await Deno.makeTempDir({ prefix: "tacho-outside-" });
  try {
    const [work, home, program] = ["work", "home", "program"].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [work, home, program]) await Deno.mkdir(folder);
    await Deno.writeTextFile(join(program, "main.ts"), HEAD + code);
    const { code: status, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-check", "--config", join(root, "deno.json"), ...permissions, join(program, "main.ts")],
      cwd: work,
      env: {
        NO_COLOR: "1",
        MESA_SHADER_CACHE_DISABLE: "true",
        DENO_DIR: denoFolder,
        HOME: home,
        XDG_DATA_HOME: join(home, "data"),
        XDG_CACHE_HOME: join(home, "cache"),
        TACHO_STORE: join(home, "store"),
        TACHO_CACHE: join(home, "tacho"),
      },
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
    const written = [...Deno.readDirSync(work), ...Deno.readDirSync(home)].map(({ name }) => name);
    return { status, out, err, written };
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

/** Deno's own folder, so that packages are not downloaded again. */
const denoFolder = await (async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: root }).output();
  return (JSON.parse(new TextDecoder().decode(stdout)) as { denoDir: string }).denoDir;
})();

// The next test prints and writes nothing either
fullTest("a measurement prints nothing, writes nothing and ends no process", async () => {
  const code = `
const { variants } = await measure(points, { settings: ["compile.autotune={seconds: 1}"] });
if (variants.some(({ status, autotune }) => status !== "ok" || autotune.ops.every(({ source }) => source !== "timed"))) throw new Error("not tuned");
`;
  assert.deepEqual(await runOutside(code, ["-A"]), { status: 0, out: "", err: "", written: [] });
});

Deno.test("it runs with permissions to read only", async () => {
  const code = `
const { variants } = await measure(points);
console.log(variants.map(({ status }) => status).join());
`;
  const readOnly = ["--allow-read", "--allow-env", "--allow-sys"];
  assert.deepEqual(await runOutside(code, readOnly), { status: 0, out: "ok,ok\n", err: "", written: [] });
});

Deno.test("a missing permission is an InputError that names the flag", async () => {
  const code = `
const error = await measure(points).catch((error) => error);
console.log(error instanceof InputError, error.message);
`;
  const { status, out } = await runOutside(code, ["--allow-read", "--no-prompt"]);
  assert.match(out, /^true measure\(\): Requires \w+ access.*; add --allow-\w+/);
  assert.equal(status, 0);
});

Deno.test("unhandled errors are left to the program, and a data worker that imports it does not measure", async () => {
  const code = `
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.log("unhandled:", event.reason instanceof InputError);
});
if (import.meta.main) measure(points, { settings: ["none=1"] });
const doubled = scenario({
  name: "doubled",
  data: {
    ...tensors({ input: { shape: [4], data: new Float32Array(256) }, target: { data: new Int32Array(64) }, classes: 2 }),
    transforms: [transforms.map(({ input }) => ({ input }))],
  },
  loader: { batchSize: 8, numWorkers: 1 },
  measure: { steps: 2, skip: 1, rounds: 1 },
});
const { variants } = await measure(doubled);
console.log(variants[0].error.message);
`;
  const { status, out } = await runOutside(code, ["-A"]);
  assert.match(out, /^unhandled: true\n.*call measure\(\) under if \(import\.meta\.main\)/);
  assert.equal(status, 0);
});
