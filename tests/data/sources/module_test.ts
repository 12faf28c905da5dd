import assert from "node:assert/strict";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { source } from "../../../runtime/data/sources/module.ts";
import { batches } from "../fixtures.ts";
import { refuses, rejects } from "../../support/refuses.ts";

const module = (name: string) => import.meta.resolve(`../modules/${name}.ts`);

Deno.test("a user's module yields samples synchronously, asynchronously or as a stream, with any number of workers", async () => {
  for (const name of ["squares", "squares_async", "squares_stream"]) {
    const spec = source({ module: module(name), input: { shape: [1, 2, 3] }, classes: 7, unit: "images" });
    const { train, input, classes, target } = describeDataset(spec);
    assert.deepEqual([train.length, input!.shape, classes, target], [20, [1, 2, 3], 7, { shape: [], dtype: "i32" }]);
    for (const numWorkers of [0, 1, 2]) {
      const found = await batches(spec, { batchSize: 5, numWorkers }, 5);
      found.forEach((batch, b) => {
        const first = b % 4 * 5;
        assert.deepEqual([...batch.target], [0, 1, 2, 3, 4].map((i) => (first + i) % 7), name);
        assert.equal(batch.input[6], (first + 1) ** 2);
      });
    }
  }
  const url = new URL("../modules/squares.ts", import.meta.url);
  const input = { shape: [6] };
  assert.deepEqual(
    source({ module: url, test: url, input, classes: 7 }),
    source({ module: url.href, test: url.href, input, classes: 7 }),
  );
  const awaited = source({ module: module("squares_awaited"), input: { shape: [6] }, classes: 7, length: 20 });
  assert.equal((await batches(awaited, { layout: "row", numWorkers: 1 }))[0]!.input[0], 0);
});

Deno.test("a user's module that fails or returns wrong samples is reported with the sample and the cause", async () => {
  const load = (name: string, numWorkers = 0, rest: object = {}) =>
    batches(
      source({ module: module(name), input: { shape: [6] }, classes: 7, length: 20, ...rest }),
      { layout: "row", numWorkers },
    );
  for (const numWorkers of [0, 1]) {
    await rejects(load("broken", numWorkers), /Sample 3 .*broken\.ts: get\(3\) failed: RangeError: no such luck/);
  }
  await rejects(load("squares", 0, { classes: 3 }), /get\(3\) returned 3 as its target; expected a class index 0\.\.2/);
  await rejects(
    load("squares", 0, { input: { shape: [7] } }),
    /get\(0\) returned Float32Array of 6 values as its input; expe/,
  );
  await rejects(load("squares", 0, { input: { shape: [6], dtype: "u8" } }), /expected Uint8Array of 6 values/);
  await rejects(load("nowhere"), /Cannot read .*nowhere\.ts: No such file/);
  refuses(
    () => describeDataset(source({ module: module("squares_awaited"), input: { shape: [6] }, classes: 7 })),
    /cannot be imported to read its length: .*await.* Give source\(\{ length \}\)/,
  );
  const given = (rest: object) => source({ module: module("squares"), input: { shape: [6] }, classes: 7, ...rest });
  refuses(
    () => given({ input: [1, 1, 64] }),
    /^source\(\)\.input is \[1,1,64\]; expected a record such as \{ shape: \[1, 1, 64\] \}$/,
  );
  refuses(
    () => given({ target: 3 }),
    /^source\(\)\.target is 3; expected a record such as \{ shape: \[1, 28, 28\] \}$/,
  );
  refuses(() => given({ module: 3 }), /^source\(\)\.module is 3; expected a module's URL or path$/);
  refuses(
    () => describeDataset(source({ module: module("squares"), input: { shape: [6] } })),
    /data\.classes is null, but the targets are class indices/,
  );
});
