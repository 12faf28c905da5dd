/** A script with its own op, run with a data worker, and again from the store and from a lock file in the sandbox. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;

const SCRIPT = `
import {
  crossEntropy, defineOp, flatten, layer, linear, run, scenario, sequential, sgd, syntheticImages, transforms as t,
} from "tacho";

const twice = defineOp({
  type: "own_twice",
  inputs: ["x"],
  shape: ({ x }) => ({ y: x.shape }),
  cost: ({ y }) => y.size,
  gradient: ({ gradients: { y } }) => ({ x: twice(y) }),
  kernels: [{ name: "elements", invocations: ({ y }) => y.size, code: "store_y(index, 2.0 * load_x(index));" }],
});
const halved = t.map((image) => image.data.map((value) => value >> 1));

export default scenario({
  name: "own-op",
  model: sequential(flatten(), linear(8), layer((x) => twice(x)), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, transforms: [halved] }),
  loader: { batchSize: 8, numWorkers: 1 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 1, aa: false },
});

if (import.meta.main) await run();
`;

// commands_test.ts repeats a run and tests/ops/custom has own ops; here they meet
fullTest(
  "an own op works with data workers, in a kept run that is verified, and in a lock file's sandbox",
  async () => {
    await using place = await Place.make();
    await place.write("deno.json", JSON.stringify({ imports: { tacho: MOD } }));
    await place.write("own.ts", SCRIPT);
    const first = await place.script("own.ts", []);
    assert.equal(first.code, 0, first.stdout + first.stderr);
    await Deno.remove(join(place.folder, "own.ts"));
    const verified = await place.inside(["verify", "last"]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /^\w+ +\d+ +identical$/m);
    assert.equal((await place.inside(["lock", "last", "-o", "x.lock.json"])).code, 0);
    const repeated = await place.inside(["repeat", "x.lock.json"]);
    assert.equal(repeated.code, 0, repeated.stdout + repeated.stderr);
    assert.match(repeated.stdout, /^x\.lock\.json: runs in a sandbox /);
    assert.match(repeated.stdout, /identical, \d+ steps/);
  },
);
