/** A project of a user's own, with its own configuration of Deno, trained for real and trained again from the store. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Place } from "../tacho_process.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;

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
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
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

Deno.test("a kept run of a user's project, with workers, is reproduced bit for bit", async () => {
  await using place = await Place.make();
  await place.write("deno.json", JSON.stringify({ imports: { "@tacho/tacho": MOD, "lib/": "./lib/" } }));
  await place.write("exp/own.ts", SCRIPT);
  await place.write("exp/settings.json", '{ "divisor": 2 }');
  await place.write("lib/classes.ts", "export const classes = 4;\n");
  await place.write("lib/samples.ts", SAMPLES);
  const first = await place.script("exp/own.ts", []);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  // Repeating the run needs no files of the project, and ignores their changes
  await Deno.remove(join(place.folder, "exp"), { recursive: true });
  await Deno.remove(join(place.folder, "deno.json"));
  await place.write("lib/samples.ts", SAMPLES.replace("Math.sin", "Math.cos"));
  await place.write("lib/classes.ts", "export const classes = 5;\n");
  await Deno.mkdir(join(place.folder, "elsewhere"));
  const verified = await place.tacho(["verify", "last"], {}, "elsewhere");
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /^baseline +\d+ +identical\nworkers +\d+ +identical$/m);
  const repeated = await place.tacho(["repeat", "last", "--json", "out.json"], {}, "elsewhere");
  assert((await Deno.stat(join(place.folder, "elsewhere/out.json"))).isFile);
  assert.match(repeated.stdout, /^own · model · 68 parameters/m);
  assert.equal(repeated.stdout.match(/identical, \d+ steps/g)?.length, 2, repeated.stdout);
  assert.doesNotMatch(repeated.stdout, /settings are not those/);
  const compared = await place.tacho(["compare", "last~1", "last"]);
  assert.match(compared.stdout, /^losses of baseline: identical/m);
  // The copy runs with Tacho's lock file of packages, and in nothing else differently
  const listed = compared.stdout.match(/Differences between the runs:\n([^]*?)\n\n/)?.[1]?.split(/\n {2}(?! )/) ?? [];
  assert.deepEqual(listed.filter((line) => !line.includes("lock file")), [], compared.stdout);
  const again = await place.tacho(["verify", "last", "--steps", "2"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stdout, /^\S+ \w+: the environment is the same$/m);
  assert.deepEqual(place.leftovers(), []);
});
