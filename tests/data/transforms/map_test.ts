import assert from "node:assert/strict";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import { DEFAULTS, take } from "../fixtures.ts";
import { asynchronous, doubled, shortened, speckled } from "../modules/functions.ts";
import { rejects } from "../../support/refuses.ts";

function load(transforms: TransformSpec[], numWorkers: number) {
  const spec = syntheticImages({ height: 6, width: 7, classes: 3, length: 30, transforms });
  return createLoader(spec, { ...DEFAULTS, numWorkers });
}

async function batches(transforms: TransformSpec[], numWorkers: number) {
  await using loader = await load(transforms, numWorkers);
  return await take(loader, 8);
}

Deno.test("user functions run in workers with their module's variables and draw the same there", async () => {
  const chain = [speckled, t.randomHorizontalFlip(), doubled, t.normalize({ mean: [0, 0, 0], std: [2, 2, 2] })];
  const expected = await batches(chain, 0);
  const plain = await batches([t.randomHorizontalFlip(), t.normalize({ mean: [0, 0, 0], std: [2, 2, 2] })], 0);
  assert.notDeepEqual(expected, plain);
  for (const numWorkers of [1, 2]) assert.deepEqual(await batches(chain, numWorkers), expected);
});

Deno.test("a function that a worker cannot find or that returns the wrong type is reported", async () => {
  const local = t.map(function local({ data }) {
    data[0] = 1;
  }, { module: import.meta.resolve("../modules/squares.ts") });
  await batches([local], 0);
  await rejects(
    batches([local], 1),
    /transforms\.map\(local\): function 0 of .*squares\.ts was not created when a data worker imported it\. Call map\(\) at the/,
  );
  const other = { ...doubled, hash: doubled.hash ^ 1 };
  await rejects(
    batches([other], 1),
    /map\(doubled\): function \d of .*functions\.ts is a different one when a data worker/,
  );
  const gone = { ...doubled, script: "file:///no/where.ts", module: "file:///no/where.ts" };
  await rejects(batches([gone], 1), /\/no\/where\.ts, which creates functions of transforms, cannot be imported/);
  await rejects(
    batches([shortened], 0),
    /map\(shortened\) returned Float32Array of 3 values; expected Uint8Array of 126/,
  );
  await rejects(batches([asynchronous], 0), /map\(asynchronous\) returned a promise; .*it must not be async/);
  const failing = t.map(function failing() {
    throw new RangeError("too far");
  });
  await rejects(batches([failing], 0), /transforms\.map\(failing\) failed: RangeError: too far/);
});

Deno.test("workers find the functions of the main script", () => {
  const script = new URL("../modules/own_function_script.ts", import.meta.url).pathname;
  const { success, stdout, stderr } = new Deno.Command(Deno.execPath(), { args: ["run", "-q", "-A", script] })
    .outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  const [direct, workers] = new TextDecoder().decode(stdout).trim().split("\n");
  assert.equal(direct, workers);
  assert.equal((JSON.parse(direct!) as number[]).length, 6);
});

Deno.test("run() does nothing when a worker imports the script", () => {
  const script = new URL("../modules/unguarded_script.ts", import.meta.url).pathname;
  const { success, stdout, stderr } = new Deno.Command(Deno.execPath(), { args: ["run", "-q", "-A", script] })
    .outputSync();
  const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, out! + said);
  assert.equal(out!.split("unguarded · batch 10").length, 2, out);
});
