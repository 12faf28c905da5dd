/**
 * Projects of a user's own, with and without a configuration of Deno and a lock file, trained for real and trained again
 * from the store and from a lock file.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { full, fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const ROOT = new URL("../../../", import.meta.url);
const MOD = new URL("mod.ts", ROOT).href;

const SCRIPT = `
import { crossEntropy, flatten, linear, run, scenario, sequential, sgd, source, transforms as t } from "@tacho/tacho";
import { classes } from "lib/classes.ts";
import settings from "./settings.json" with { type: "json" };

const halved = t.map((image) => Float32Array.from(image.data, (value) => value / settings.divisor));

export default scenario({
  name: "own",
  model: sequential(flatten(), linear(classes)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: source({ module: "./lib/samples.ts", input: { shape: [1, 4, 4] }, classes, transforms: [halved] }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: ${full ? 2 : 1}, aa: false },
  variants: { baseline: {}, workers: { loader: { numWorkers: 1 } } },
});

if (import.meta.main) await run();
`;

const SAMPLES = `
import { classes } from "./classes.ts";
export const length = 64;
export function get(index: number) {
  return { input: Float32Array.from({ length: 16 }, (_, i) => Math.sin(index * 16 + i)), target: index % classes };
}
`;

/** Returns a script that imports a factor from the network. */
function loneScript(url: string): string {
  return `
import { crossEntropy, flatten, linear, run, scenario, sequential, sgd, syntheticImages } from "@tacho/tacho";
import { factor } from "${url}";

export default scenario({
  name: "lone",
  model: sequential(flatten(), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: factor }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
});

if (import.meta.main) await run();
`;
}

/** Writes a project whose configuration has these entries besides its own modules. */
async function writeProject(place: Place, { imports = {}, ...others }: Record<string, unknown>): Promise<void> {
  await place.write("deno.json", JSON.stringify({ imports: { ...imports as object, "lib/": "./lib/" }, ...others }));
  await place.write("exp/own.ts", SCRIPT);
  await place.write("exp/settings.json", '{ "divisor": 2 }');
  await place.write("lib/classes.ts", "export const classes = 4;\n");
  await place.write("lib/samples.ts", SAMPLES);
}

Deno.test("a kept run of a user's project, with workers, is reproduced bit for bit", async () => {
  await using place = await Place.make();
  await writeProject(place, { imports: { "@tacho/tacho": MOD } });
  const first = await place.script("exp/own.ts", []);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await Deno.stat(join(place.folder, "deno.lock"));
  // Repeating the run needs no files of the project, and ignores their changes
  await Deno.remove(join(place.folder, "exp"), { recursive: true });
  await Deno.remove(join(place.folder, "deno.json"));
  await place.write("lib/samples.ts", SAMPLES.replace("Math.sin", "Math.cos"));
  await place.write("lib/classes.ts", "export const classes = 5;\n");
  await Deno.mkdir(join(place.folder, "elsewhere"));
  if (full) {
    const verified = await place.inside(["verify", "last"], {}, "elsewhere");
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /^baseline +\d+ +identical\nworkers +\d+ +identical$/m);
  }
  const repeated = await place.tacho(["repeat", "last", "--json", "out.json"], {}, "elsewhere");
  assert((await Deno.stat(join(place.folder, "elsewhere/out.json"))).isFile);
  assert.match(repeated.stdout, /^own · model · 68 parameters/m);
  assert.equal(repeated.stdout.match(/identical, \d+ steps/g)?.length, 2, repeated.stdout);
  assert.doesNotMatch(repeated.stdout, /settings are not those/);
  const compared = await place.here("compare", "last~1", "last");
  assert.match(compared.stdout, /^losses of baseline: identical/m);
  // The copy runs with Tacho's lock file of packages, and in nothing else differently
  const listed = compared.stdout.match(/Differences between the runs:\n([^]*?)\n\n/)?.[1]?.split(/\n {2}(?! )/) ?? [];
  assert.deepEqual(listed.filter((line) => !line.includes("lock file")), [], compared.stdout);
  assert.deepEqual(place.leftovers(), []);
  if (!full) return;
  const again = await place.inside(["verify", "last", "--steps", "2"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stdout, /^\S+ \w+: the environment is the same$/m);
  assert.deepEqual(place.leftovers(), []);
});

fullTest("a project that links Tacho and has no lock file is kept, locked and repeated", async () => {
  await using place = await Place.make();
  await writeProject(place, { links: [fileURLToPath(ROOT)], lock: false });
  const locked = await place.inside(["lock", "exp/own.ts"]);
  assert.equal(locked.stdout, "own.lock.json: own, 2 variants, 4 modules; run it with: tacho repeat own.lock.json\n");
  const first = await place.tacho(["run", "exp/own.ts", "--quiet"]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await assert.rejects(() => Deno.stat(join(place.folder, "deno.lock")), Deno.errors.NotFound);
  // Neither needs the project
  for (const name of ["exp", "lib", "deno.json"]) await Deno.remove(join(place.folder, name), { recursive: true });
  const verified = await place.inside(["verify", "last"]);
  assert.match(verified.stdout, /^baseline +\d+ +identical\nworkers +\d+ +identical$/m, verified.stderr);
  const repeated = await place.tacho(["repeat", "own.lock.json", "--quiet"]);
  assert.match(repeated.stdout, /^own · model · 68 parameters/m, repeated.stderr);
  const compared = await place.here("compare", "last~1", "last");
  assert.match(compared.stdout, /^losses of baseline: identical/m, compared.stderr);
  assert.deepEqual(place.leftovers(), []);
});

fullTest("tacho runs, keeps and locks a script outside a project, and pins nothing in its own lock file", async () => {
  await using place = await Place.make();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("export const factor = 0.5;\n", { headers: { "content-type": "text/javascript" } }),
  );
  await place.write("lone.ts", loneScript(`http://127.0.0.1:${server.addr.port}/factor.js`));
  const pinned = await Deno.readTextFile(new URL("deno.lock", ROOT));
  const first = await place.tacho(["run", "lone.ts", "--quiet"]);
  assert.doesNotMatch(first.stderr, /warning: The script is not kept/);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await Deno.mkdir(join(place.folder, "elsewhere"));
  const locked = await place.inside(["lock", "lone.ts"]);
  assert.match(locked.stdout, /^lone\.lock\.json: lone, 1 variant, 1 module;/, locked.stderr);
  assert.equal(await Deno.readTextFile(new URL("deno.lock", ROOT)), pinned);
  assert.deepEqual(place.leftovers(), []);
  const verified = await place.inside(["verify", "last"], {}, "elsewhere");
  assert.match(verified.stdout, /^baseline +\d+ +identical$/m, verified.stderr);
  assert.match(verified.stdout, /^run \w+: the environment is the same$/m);
  const repeated = await place.tacho(["repeat", "../lone.lock.json", "--trust", "--quiet"], {}, "elsewhere");
  assert.match(repeated.stdout, /^\S*lone\.lock\.json: the environment is the same$/m, repeated.stderr);
  const { stdout } = await place.here("compare", "last~1", "last");
  assert.doesNotMatch(stdout, /lock file of packages/);
  assert.equal(await Deno.readTextFile(new URL("deno.lock", ROOT)), pinned);
  assert.deepEqual(place.leftovers(), []);
});
