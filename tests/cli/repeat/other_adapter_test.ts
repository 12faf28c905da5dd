/** A lock file that was made on another kind of adapter, for which the scenario has settings. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readLock, writeLock } from "../../../runtime/cli/repeat/lock_file.ts";
import type { Environment } from "../../../runtime/result/schema.ts";
import { full } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;

const SCRIPT = `
import { crossEntropy, flatten, linear, run, scenario, sequential, sgd, syntheticImages } from "tacho";

export default scenario({
  name: "adaptive",
  model: sequential(flatten(), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 1, aa: false },
  variants: { baseline: {}, sink: { sink: 2 } },
  adapters: {
    software: { loader: { batchSize: 4 } },
    imaginary: { loader: { batchSize: 16 }, variants: ["baseline"] },
  },
});

if (import.meta.main) await run();
`;

Deno.test("a lock file of another kind of adapter runs with the settings for that one", async () => {
  await using place = await Place.make();
  await place.write("deno.json", JSON.stringify({ imports: { tacho: MOD } }));
  await place.write("adaptive.ts", SCRIPT);
  const first = await place.script("adaptive.ts", ["--settings-for", "imaginary"]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  assert.equal((await place.inside(["lock", "last", "-o", "here.lock.json"])).code, 0);

  // As it would be had the run been on such an adapter, without the flag
  const here = readLock(join(place.folder, "here.lock.json"));
  assert.deepEqual(here.spec.adapters, ["imaginary"]);
  const elsewhere = ({ adapter, ...environment }: Environment) => ({
    ...environment,
    adapter: { ...adapter!, name: "Imaginary 9000", fallback: false },
  });
  const result = { ...here.result!, environment: elsewhere(here.result!.environment) };
  const recipe = { ...here, args: [], result, environment: elsewhere(here.environment) };
  await place.write("theirs.lock.json", writeLock(recipe));
  const none = { ...recipe, spec: { ...recipe.spec, adapters: [] } };
  await place.write("plain.lock.json", writeLock(none));

  const verified = await place.inside(["verify", "theirs.lock.json"]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /adapter: Imaginary 9000 then, [^\n]* now\n/);
  assert.match(
    verified.stdout,
    /^Losses may differ: this is another adapter or driver\n[^]*^baseline +\d+ +identical$/m,
  );
  assert.deepEqual(place.leftovers(), []);
  if (!full) return;
  const listed = await place.tacho(["repeat", "theirs.lock.json", "--list"]);
  assert.match(listed.stdout, /^for imaginary: loader\.batchSize 8 -> 16; without sink /m);
  const plain = await place.inside(["verify", "plain.lock.json"]);
  assert.equal(plain.code, 1, "batches of another size give other losses");
  assert.match(plain.stdout, /^baseline +\d+ +differ from step \d+/m);
  assert.deepEqual(place.leftovers(), []);
});
