import assert from "node:assert/strict";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../runtime/data/sources/synthetic_images.ts";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import { dataSchema, filesOf, modulesOf } from "../../runtime/data/sources/sources.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("factories return plain records that the schema accepts and that can be cloned", () => {
  const specs = [
    cifar10(),
    cifar10({
      dir: "x",
      transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")],
    }),
    syntheticImages({ height: 8, width: 9, classes: 3, length: 10 }),
    tensors({ input: { shape: [2], data: new Float32Array(4) }, target: { data: Int32Array.of(0, 1) } }),
  ];
  for (const spec of specs) {
    assert.deepEqual(dataSchema.parse(spec), spec);
    assert.deepEqual(structuredClone(spec), spec);
  }
  assert.deepEqual(cifar10(), {
    kind: "cifar10",
    dir: null,
    transforms: [],
    fuse: true,
    cache: null,
    placement: "host",
    delay: { read: 0, decode: 0, collate: 0 },
    unit: "images",
  });
});

Deno.test("the files and modules of a record are listed, even from another version", () => {
  assert.deepEqual(filesOf({ kind: "imageFolder", dir: "train", test: "test" }), ["train", "test"]);
  assert.deepEqual(filesOf({ kind: "imageFolder", dir: "train" }), ["train"]);
  assert.deepEqual(filesOf(cifar10()), []);
  assert.deepEqual(modulesOf({ kind: "source", module: "a.ts", test: null }), ["a.ts"]);
  assert.deepEqual(modulesOf({ kind: "cifar10", module: "a.ts" }), []);
  for (const record of [{ kind: "other", dir: "train" }, {}, null, "cifar10"]) assert.deepEqual(filesOf(record), []);
});

Deno.test("an array without its record is refused in one line that shows the record", () => {
  const input = { shape: [2], data: new Float32Array(4) };
  const target = { data: Int32Array.of(0, 1) };
  refuses(
    () => tensors({ input, target: Int32Array.of(0, 1) as never }),
    /^tensors\(\)\.target is Int32Array of 8 bytes; expected a record such as \{ data: Int32Array\.of\(0, 1\) \}$/,
  );
  refuses(
    () => tensors({ input: new Float32Array(4) as never, target }),
    /^tensors\(\)\.input is Float32Array of 16 bytes; expected a record such as \{ shape: \[2\], data: .*$/,
  );
  refuses(() => tensors({ inputs: { a: [1, 2] as never }, target }), /^tensors\(\)\.inputs\.a is \[1,2\]; expected/);
  refuses(() => tensors({ input, target, test: { input, target: [0, 1] as never } }), /^tensors\(\)\.test\.target is/);
});

Deno.test("transforms have defaults and known statistics", () => {
  assert.deepEqual(t.randomCrop(8), { kind: "randomCrop", size: 8, padding: 0 });
  assert.deepEqual(t.randomHorizontalFlip(), { kind: "randomHorizontalFlip", p: 0.5 });
  assert.deepEqual(t.normalize("cifar10").mean, [0.4914, 0.4822, 0.4465]);
  assert.deepEqual(t.normalize({ mean: [1], std: [2] }), { kind: "normalize", mean: [1], std: [2] });
});

Deno.test("invalid transforms are rejected with their option, value and what was expected", () => {
  refuses(() => t.randomCrop(0), /randomCrop\(\)\.size is 0; expected at least 1/);
  refuses(() => t.randomCrop(2.5), /randomCrop\(\)\.size is 2\.5; expected a whole number/);
  refuses(() => t.randomCrop(32, { padding: -1 }), /randomCrop\(\)\.padding is -1; expected at least 0/);
  refuses(() => t.randomCrop(32, { pading: 4 } as never), /no "pading"; did you mean "padding"\?/);
  refuses(
    () => t.randomHorizontalFlip({ p: 1.5 }),
    /randomHorizontalFlip\(\)\.p is 1\.5; expected a probability from 0 to 1/,
  );
  refuses(
    () => t.normalize("cifar01" as never),
    /normalize\("cifar01"\): no such statistics; did you mean "cifar10"\?/,
  );
  refuses(() => t.normalize("toString" as never), /no such statistics/);
  refuses(() => t.normalize({ mean: [1, 2], std: [1] }), /std is \[1\]; expected as many numbers as mean has/);
  refuses(() => t.normalize({ mean: [1], std: [0] }), /std\[0\] is 0; expected a number above 0/);
});

Deno.test("invalid data sets are rejected", () => {
  refuses(() => cifar10({ dir: "" }), /cifar10\(\)\.dir is ""; expected a folder/);
  refuses(() => cifar10({ directory: "x" } as never), /no "directory"; did you mean "dir"\?/);
  refuses(
    () => cifar10({ transforms: [{ kind: "blur" }] as never }),
    /transforms\[0\].*expected a transform, of kind resize, .* or oneHot$/,
  );
  refuses(() => syntheticImages({ height: 0, width: 2, classes: 1, length: 1 }), /height is 0; expected at least 1/);
  refuses(
    () => syntheticImages({ width: 2, classes: 1, length: 1 } as never),
    /height is missing; expected a whole number/,
  );
});

Deno.test("tensors whose lengths or types disagree are rejected", () => {
  const input = { shape: [2], data: new Float32Array(6) };
  const target = { data: Int32Array.of(0, 1, 2) };
  refuses(
    () => tensors({ input: { shape: [4], data: new Float32Array(6) }, target }),
    /train: input has 6 elements.*\[4\].*multiple of 4/,
  );
  refuses(() => tensors({ input, target: { data: Int32Array.of(0, 1) } }), /input has 3 samples but target has 2/);
  refuses(() => tensors({ input, target: { data: Int32Array.of(0, -1, 1) } }), /target 1 is -1.*expected 0 to 1/);
  refuses(() => tensors({ input, target, classes: 2 }), /target 2 is 2.*expected 0 to 1/);
  refuses(
    () => tensors({ input: { shape: [2], data: [1, 2] as never }, target }),
    /input\.data is \[1,2\]; expected a Float32Array, an Int32Array or a Uint8Array/,
  );
  refuses(
    () =>
      tensors({
        input,
        target,
        test: { input: { shape: [3], data: new Float32Array(3) }, target: { data: Int32Array.of(0) } },
      }),
    /input samples are \[2\] in train and \[3\] in test/,
  );
  refuses(
    () =>
      tensors({
        input,
        target,
        test: { input: { shape: [2], data: new Uint8Array(2) }, target: { data: Int32Array.of(0) } },
      }),
    /input data is Float32Array in train and Uint8Array in test/,
  );
  refuses(
    () => tensors({ input: { shape: [2], data: new Float32Array(0) }, target: { data: new Int32Array(0) } }),
    /0 elements/,
  );
});

Deno.test("tensors are shared once and detached from the user's arrays", () => {
  const data = Float32Array.of(1, 2);
  const spec = tensors({ input: { shape: [1], data }, target: { data: Int32Array.of(0, 1) } });
  data[0] = 9;
  assert.deepEqual([...spec.train.input!.data], [1, 2]);
  assert.ok(spec.train.input!.data.buffer instanceof SharedArrayBuffer);
  const again = tensors({ ...spec.train });
  assert.equal(again.train.input!.data, spec.train.input!.data);
  assert.equal(structuredClone(spec).train.input!.data.buffer instanceof SharedArrayBuffer, true);
});
