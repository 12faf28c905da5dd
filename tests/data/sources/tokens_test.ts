import assert from "node:assert/strict";
import { join } from "node:path";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { filesOf } from "../../../runtime/data/sources/sources.ts";
import { tokens } from "../../../runtime/data/sources/tokens.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { withFolder } from "../fixtures.ts";
import { tokenBatches } from "../token_batches.ts";
import { refuses, rejects } from "../../support/refuses.ts";

/** Token ids of a series, the id of each being known from its position. */
const idAt = (position: number) => (position * position * 7 + 3) % 1000;

const series = (count: number) => Array.from({ length: count }, (_, i) => idAt(i));

function bytesOf(ids: Uint16Array | Int32Array | Uint8Array): Uint8Array {
  return new Uint8Array(ids.buffer);
}

Deno.test("a file of u16, of i32 or an array gives inputs, and targets one position later, of both splits", () => {
  const files = { "a.bin": bytesOf(Uint16Array.from(series(97))), "b.bin": bytesOf(Int32Array.from(series(97))) };
  return withFolder(files, async (dir) => {
    const options = { context: 5, testFraction: 0.2, vocabulary: 1000 };
    const specs = [
      tokens({ file: join(dir, "a.bin"), dtype: "u16", ...options }),
      tokens({ file: join(dir, "b.bin"), dtype: "i32", ...options }),
      tokens({ array: Uint16Array.from(series(97)), ...options }),
      tokens({ array: Int32Array.from(series(97)), ...options }),
    ];
    for (const spec of specs) {
      // 77 tokens to train on: inputs begin at 0, 5, ... 70, and the last target is at 75. 20 to test on
      const described = describeDataset(spec);
      assert.deepEqual([described.train.length, described.test!.length, described.classes], [15, 3, 1000]);
      assert.deepEqual([described.input, described.target], Array(2).fill({ shape: [5], dtype: "i32" }));
      assert.deepEqual([described.unit, described.unitsPerSample], ["tokens", 5]);
      const [train] = await tokenBatches(spec, { batchSize: 15 });
      assert.deepEqual(train, { input: series(75), target: series(76).slice(1) });
      const [test] = await tokenBatches(spec, { batchSize: 3, split: "test" });
      assert.deepEqual(test, { input: series(92).slice(77), target: series(93).slice(78) });
    }
    assert.deepEqual(specs.map(filesOf), [[join(dir, "a.bin")], [join(dir, "b.bin")], [], []]);
  });
});

Deno.test("inputs overlap by a smaller stride, and a test file replaces the end of the training file", () => {
  const files = { "train.bin": Uint8Array.from(series(20)), "val.bin": Uint8Array.from(series(9)) };
  return withFolder(files, async (dir) => {
    const [file, test] = [join(dir, "train.bin"), join(dir, "val.bin")];
    const spec = tokens({ file, test, dtype: "u8", context: 4, stride: 3 });
    const described = describeDataset(spec);
    // (20 - 5) / 3 + 1 and (9 - 5) / 3 + 1
    assert.deepEqual([described.train.length, described.test!.length, described.classes], [6, 2, 256]);
    const ids = series(20).map((id) => id & 255);
    const [batch] = await tokenBatches(spec, { batchSize: 6 });
    assert.deepEqual(batch!.input, [0, 3, 6, 9, 12, 15].flatMap((begin) => ids.slice(begin, begin + 4)));
    assert.deepEqual(batch!.target, [1, 4, 7, 10, 13, 16].flatMap((begin) => ids.slice(begin, begin + 4)));
    assert.deepEqual(filesOf(spec), [file, test]);
  });
});

Deno.test("workers and a resumed loader give the same shuffled batches", () =>
  withFolder({ "a.bin": bytesOf(Uint16Array.from(series(300))) }, async (dir) => {
    const spec = tokens({ file: join(dir, "a.bin"), dtype: "u16", context: 7, vocabulary: 1000 });
    const shuffled = { shuffle: true, batchSize: 8 };
    const alone = await tokenBatches(spec, shuffled, 9);
    assert.deepEqual(await tokenBatches(spec, { ...shuffled, numWorkers: 2 }, 9), alone);
    assert.deepEqual(await tokenBatches(spec, { ...shuffled, startBatch: 6 }, 3), alone.slice(6));
    assert.notDeepEqual(alone[0], (await tokenBatches(spec, { batchSize: 8 }))[0]);
  }));

Deno.test("the vocabulary of an array is one more than its largest id, over both splits", () => {
  const spec = tokens({ array: Uint16Array.of(3, 1, 2, 5), test: Uint16Array.of(9, 1), context: 1 });
  assert.equal(describeDataset(spec).classes, 10);
  assert.equal(describeDataset({ ...spec, testFraction: 0 }).test!.length, 1);
  assert.equal(describeDataset(tokens({ array: Uint8Array.of(3, 1), context: 1, testFraction: 0 })).test, null);
});

Deno.test("a wrong file is refused by name, with the fix", () => {
  const npy = Uint8Array.from("\x93NUMPY\x01\x00", (character) => character.charCodeAt(0));
  return withFolder({ "odd.bin": new Uint8Array(7), "x.npy": npy, "small.bin": new Uint8Array(10) }, (dir) => {
    const described = (name: string, options: object = {}) => () =>
      describeDataset(
        tokens({ file: join(dir, name), dtype: "u16", vocabulary: 9, context: 4, testFraction: 0, ...options }),
      );
    refuses(described("none.bin"), /Cannot read .*none\.bin/);
    refuses(described("."), /is not a file; expected a file of token ids/);
    refuses(described("odd.bin"), /odd\.bin has 7 bytes, which is not a whole number of u16 ids; .* multiple of 2/);
    refuses(described("x.npy"), /x\.npy is a \.npy file; .*tofile/);
    refuses(described("small.bin", { context: 5 }), /small\.bin has 5 tokens; expected at least 6.*Lower context/);
    refuses(described("small.bin", { testFraction: 0.5, context: 2 }), /has 2 tokens, without the 50 % at its end/);
    refuses(described("small.bin", { testFraction: 0.2 }), /has 4 tokens, without the 20 %.*Lower context or testF/);
    refuses(described("small.bin", { testFraction: 0.2, context: 2 }), /has 1 token in the 20 % at its end/);
    refuses(described("small.bin", { dtype: null }), /data\.dtype is null, but data\.file is a file/);
    refuses(described("small.bin", { vocabulary: null }), /data\.vocabulary is null, but .*small\.bin.*50257/);
    refuses(described("small.bin", { array: Uint8Array.of(1) }), /a file and an array/);
    refuses(described("small.bin", { transforms: [t.rescale(2)] }), /rescale cannot change an i32 input/);
  });
});

Deno.test("invalid options are refused", () => {
  const array = Uint8Array.of(1, 2, 3);
  refuses(() => describeDataset(tokens({ context: 1 })), /no file and no array/);
  refuses(() => tokens({ array, context: 0 }), /tokens\(\)\.context is 0; expected at least 1/);
  refuses(() => tokens({ array, context: 1, stride: 0 }), /stride is 0/);
  refuses(() => tokens({ array, context: 1, testFraction: 1 }), /testFraction is 1; expected less than 1/);
  refuses(() => tokens({ array: [1, 2] as unknown as Uint8Array, context: 1 }), /array is .*; expected a Uint8Array/);
  refuses(() => tokens({ array, context: 1, dtype: "u32" as "u8" }), /dtype is "u32"; expected "u8", "u16" or "i32"/);
});

Deno.test("an id outside the vocabulary names its position, and a truncated file where it ends", () =>
  withFolder({ "a.bin": bytesOf(Int32Array.of(1, 2, 3, 40, 5, -6, 7)) }, async (dir) => {
    const file = join(dir, "a.bin");
    const spec = tokens({ file, dtype: "i32", vocabulary: 10, context: 2, testFraction: 0 });
    await rejects(tokenBatches(spec, { batchSize: 3 }), /a\.bin: token 3 is 40.*expected 0\.\.9.*dtype.*not i32/);
    await rejects(tokenBatches({ ...spec, vocabulary: 50 }, { batchSize: 3 }), /token 5 is -6, which is outside/);
    const array = tokens({ array: Uint8Array.of(1, 2, 9), vocabulary: 9, context: 2, testFraction: 0 });
    await rejects(tokenBatches(array, { batchSize: 1 }), /The array: token 2 is 9/);

    Deno.writeFileSync(file, bytesOf(Int32Array.from(series(7))));
    const { createLoader } = await import("../../../runtime/data/loader/create_loader.ts");
    const { DEFAULTS } = await import("../fixtures.ts");
    await using loader = await createLoader({ ...spec, vocabulary: 1000 }, {
      ...{ ...DEFAULTS, layout: "row", shuffle: false, batchSize: 3 },
    });
    Deno.truncateSync(file, 10);
    await rejects(loader.next(), /a\.bin ends at token 2: it has been truncated since the run began/);
  }));
