import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { encode } from "fast-png";
import fc from "../packages/fast_check.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { cifar100 } from "../../runtime/data/sources/cifar100.ts";
import { imageFolder } from "../../runtime/data/sources/image_folder.ts";
import { mnist } from "../../runtime/data/sources/idx.ts";
import { source } from "../../runtime/data/sources/module.ts";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../runtime/data/loader/options.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { DEFAULTS, type Kept, recordFile, refuses, rejects, take, withFolder } from "./fixtures.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/images");

async function batches(spec: DataSpec, options: Partial<LoaderOptions>, count = 1): Promise<Kept[]> {
  await using loader = await createLoader(spec, { ...DEFAULTS, shuffle: false, ...options });
  return await take(loader, count);
}

/** CIFAR-100 records: coarse label, fine label, pixels that say the record. */
function cifar100File(records: number): Uint8Array {
  const bytes = new Uint8Array(records * 3074);
  for (let r = 0; r < records; r++) {
    bytes.set([r % 20, r % 100], r * 3074);
    bytes.fill(r, r * 3074 + 2, (r + 1) * 3074);
  }
  return bytes;
}

Deno.test("CIFAR-100 has fine and coarse labels", async () => {
  await withFolder({ "train.bin": cifar100File(30), "test.bin": cifar100File(10) }, async (dir) => {
    const { train, test, classes, input } = describeDataset(cifar100({ dir }));
    assert.deepEqual([train.length, test?.length, classes, input.shape], [30, 10, 100, [3, 32, 32]]);
    const [fine] = await batches(cifar100({ dir }), { batchSize: 30 });
    assert.deepEqual([...fine!.target], Array.from({ length: 30 }, (_, i) => i));
    assert.deepEqual(fine!.input.slice(25 * 3072, 26 * 3072), new Float32Array(3072).fill(25 / 255));
    const [coarse] = await batches(cifar100({ dir, labels: "coarse" }), { batchSize: 30 });
    assert.deepEqual([...coarse!.target], Array.from({ length: 30 }, (_, i) => i % 20));
    assert.equal(describeDataset(cifar100({ dir, labels: "coarse" })).classes, 20);
  });
});

Deno.test("CIFAR-100 files that are missing, damaged or of CIFAR-10 are refused", async () => {
  await withFolder({ "test.bin": cifar100File(3) }, (dir) => {
    refuses(() => describeDataset(cifar100({ dir })), /lacks train\.bin \(it has test\.bin\); expected train\.bin and/);
  });
  await withFolder({ "train.bin": cifar100File(3).subarray(1) }, (dir) => {
    refuses(
      () => describeDataset(cifar100({ dir })),
      /train\.bin has 9221 bytes, which is 2 records and 3073 bytes over/,
    );
    Deno.truncateSync(join(dir, "train.bin"), 50000 * 3074);
    refuses(() => describeDataset(cifar100({ dir })), /lacks test\.bin/);
    Deno.writeFileSync(join(dir, "test.bin"), cifar100File(3));
    refuses(
      () => describeDataset(cifar100({ dir })),
      /test\.bin has 3 records; expected 10000, since .*train\.bin is the/,
    );
  });
  await withFolder({ "data_batch_1.bin": recordFile(0, 2) }, (dir) => {
    refuses(() => describeDataset(cifar100({ dir })), /holds CIFAR-10 .*use cifar10/);
  });
  const bytes = cifar100File(4);
  bytes[2 * 3074 + 1] = 100;
  await withFolder({ "train.bin": bytes }, async (dir) => {
    await rejects(batches(cifar100({ dir }), { batchSize: 4 }), /train\.bin: record 2 has label 100; expected 0\.\.99/);
  });
});

function idxFile(shape: number[], at: (i: number) => number, type = 8): Uint8Array {
  const size = shape.reduce((product, n) => product * n, 1);
  const bytes = new Uint8Array(4 + 4 * shape.length + size);
  bytes.set([0, 0, type, shape.length]);
  const view = new DataView(bytes.buffer);
  shape.forEach((n, i) => view.setUint32(4 + 4 * i, n));
  for (let i = 0; i < size; i++) bytes[4 + 4 * shape.length + i] = at(i);
  return bytes;
}

const pixels = (i: number) => i * 7 + (i >> 4);

function mnistFiles(): Record<string, Uint8Array> {
  return {
    "train-images-idx3-ubyte": idxFile([12, 5, 4], pixels),
    "train-labels-idx1-ubyte": idxFile([12], (i) => i % 10),
    "t10k-images-idx3-ubyte": idxFile([3, 5, 4], pixels),
    "t10k-labels-idx1-ubyte": idxFile([3], (i) => 9 - i),
  };
}

Deno.test("IDX files are read, gzipped or not, under both spellings of their names", async () => {
  const plain = mnistFiles();
  const zipped = Object.fromEntries(Object.entries(plain).map(([name, bytes]) => [`${name}.gz`, gzipSync(bytes)]));
  const dotted = Object.fromEntries(
    Object.entries(plain).map(([name, bytes]) => [name.replace("-idx", ".idx"), bytes]),
  );
  for (const files of [plain, zipped, dotted]) {
    await withFolder(files, async (dir) => {
      const { train, test, input, classes } = describeDataset(mnist({ dir }));
      assert.deepEqual([train.length, test?.length, input.shape, classes], [12, 3, [1, 5, 4], 10]);
      for (const numWorkers of [0, 2]) {
        const [batch] = await batches(mnist({ dir }), { batchSize: 12, numWorkers });
        assert.deepEqual(batch!.input, Float32Array.from({ length: 240 }, (_, i) => (pixels(i) & 255) / 255));
        assert.deepEqual([...batch!.target], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
      }
      const [last] = await batches(mnist({ dir }), { batchSize: 3, split: "test" });
      assert.deepEqual([...last!.target], [9, 8, 7]);
    });
  }
});

Deno.test("IDX files that are damaged are refused by name", async () => {
  const damaged = async (name: string, bytes: Uint8Array, message: RegExp, zip = false) => {
    const files = mnistFiles();
    delete files[name];
    files[zip ? `${name}.gz` : name] = bytes;
    await withFolder(files, async (dir) => {
      await rejects(batches(mnist({ dir }), { batchSize: 3 }), message);
    });
  };
  const [images, labels] = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"] as const;
  const good = idxFile([12, 5, 4], pixels);
  await damaged(
    images,
    good.subarray(0, 200),
    /train-images.* has 200 bytes; expected 256 for \[12, 5, 4\]\. .*truncated/,
  );
  await damaged(images, idxFile([12, 5, 4], pixels, 0x0d), /has floats; expected unsigned bytes \(type 0x08\)/);
  await damaged(images, Uint8Array.of(1, 2, 3, 4, 5), /is no IDX file: it begins with 01 02 03 04; expected 00 00 08/);
  await damaged(images, new Uint8Array(0), /is no IDX file: it begins with nothing/);
  await damaged(images, good.subarray(0, 10), /ends within its header \(10 of 16 bytes\)/);
  await damaged(images, idxFile([11, 5, 4], pixels), /has 11 images, but .*train-labels-idx1-ubyte has 12 labels/);
  await damaged(labels, idxFile([12], (i) => i), /train-labels-idx1-ubyte: label 10 is 10; expected 0\.\.9/);
  await damaged(labels, idxFile([12, 1], () => 0), /has 2 dimensions; expected 1/);
  const packed = gzipSync(good);
  await damaged(
    images,
    packed.subarray(0, packed.length - 20),
    /is not a whole gzip file: .*truncated or damaged/,
    true,
  );
  await damaged(images, gzipSync(good.subarray(0, 250)), /has 250 bytes unpacked; expected 256/, true);
  await damaged(images, good, /is not a whole gzip file/, true);
  await damaged(images, packed, /is no IDX file: it begins with 1f 8b .*; it is gzipped: have its name end in \.gz/);
});

Deno.test("an IDX label that is out of range is skipped where that is asked for", async () => {
  const files = { ...mnistFiles(), "train-labels-idx1-ubyte": idxFile([12], (i) => i === 7 ? 77 : i % 10) };
  await withFolder(files, async (dir) => {
    await rejects(batches(mnist({ dir }), {}), /train-labels-idx1-ubyte: label 7 is 77; expected 0\.\.9/);
    for (const numWorkers of [0, 1]) {
      const options = { ...DEFAULTS, batchSize: 12, shuffle: false, onError: "skip", numWorkers } as const;
      await using loader = await createLoader(mnist({ dir }), options);
      const [batch] = await take(loader, 1);
      assert.ok(batch!.target.every((label) => label < 10));
      const { skipped, skipReasons } = loader.profile();
      assert.equal(skipped, 1);
      assert.match(skipReasons[0]!, /Sample 7 \(batch 0\): .*train-labels-idx1-ubyte: label 7 is 77/);
    }
  });
});

Deno.test("any change to an IDX header is refused", async () => {
  const good = mnistFiles()["train-images-idx3-ubyte"]!;
  await withFolder({}, async (dir) => {
    const property = fc.asyncProperty(
      fc.nat(15),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (at, change, zip) => {
        const files = mnistFiles();
        const bytes = good.slice();
        bytes[at]! ^= change;
        delete files["train-images-idx3-ubyte"];
        files[`train-images-idx3-ubyte${zip ? ".gz" : ""}`] = zip ? gzipSync(bytes) : bytes;
        for (const entry of Deno.readDirSync(dir)) Deno.removeSync(join(dir, entry.name));
        for (const [name, data] of Object.entries(files)) Deno.writeFileSync(join(dir, name), data);
        await rejects(batches(mnist({ dir }), { batchSize: 3 }), /IDX|bytes|dimension|shape|images|damaged/);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});

/** Two classes of PNG files of 6 x 5 pixels that say their number, and JPEG files. */
function folders(dir: string): void {
  for (const name of ["b", "a", "c"]) Deno.mkdirSync(join(dir, name), { recursive: true });
  const png = (value: number) => encode({ width: 6, height: 5, channels: 3, data: new Uint8Array(90).fill(value) });
  Deno.writeFileSync(join(dir, "a/2.png"), png(2));
  Deno.writeFileSync(join(dir, "a/1.PNG"), png(1));
  Deno.writeFileSync(join(dir, "b/x.png"), png(3));
  Deno.writeFileSync(join(dir, "b/notes.txt"), new Uint8Array(3));
  Deno.writeFileSync(join(dir, "b/.hidden.png"), new Uint8Array(3));
  Deno.copyFileSync(join(FIXTURES, "progressive.jpg"), join(dir, "c/p.jpg"));
  Deno.copyFileSync(join(FIXTURES, "grey.jpg"), join(dir, "c/g.jpeg"));
}

Deno.test("image folders: classes and files in the order of their names, decoded in the workers", async () => {
  await withFolder({}, async (dir) => {
    folders(dir);
    const spec = imageFolder({ dir, test: dir, transforms: [t.resize([4, 4])] });
    const { train, test, input, classes, unit } = describeDataset(spec);
    assert.deepEqual([train.length, test?.length, input.shape, classes, unit], [5, 5, [3, 4, 4], 3, "images"]);
    const expected = await batches(spec, { batchSize: 5 }, 2);
    assert.deepEqual([...expected[0]!.target], [0, 0, 1, 2, 2]);
    assert.deepEqual([0, 1, 2].map((i) => Math.round(expected[0]!.input[i * 48]! * 255)), [1, 2, 3]);
    for (const numWorkers of [1, 2]) {
      for (const fuse of [true, false]) {
        assert.deepEqual(await batches({ ...spec, fuse }, { batchSize: 5, numWorkers }, 2), expected);
      }
    }
    const grey = imageFolder({ dir, channels: 1, transforms: [t.randomResizedCrop(8)] });
    assert.deepEqual(describeDataset(grey).input.shape, [1, 8, 8]);
    assert.equal((await batches(grey, { batchSize: 5 }))[0]!.input.length, 320);
  });
});

Deno.test("image folders that make no batch are refused, naming file, sample and cause", async () => {
  await withFolder({}, async (dir) => {
    folders(dir);
    refuses(
      () => describeDataset(imageFolder({ dir })),
      /the images differ in size, but a batch needs one size; add/,
    );
    const load = (options: Parameters<typeof imageFolder>[0]) => batches(imageFolder(options), { batchSize: 5 });
    await rejects(
      load({ dir, size: [5, 6] }),
      /c\/g\.jpeg is 45 x 34; expected 6 x 5, as imageFolder\(\{ size \}\) says/,
    );
    await rejects(
      load({ dir, transforms: [t.randomCrop(20)] }),
      /a\/1\.PNG: randomCrop\(20\) is larger than the image's height 5; use a size of at most 5/,
    );
    const resized = { dir, transforms: [t.resize([4, 4])] };
    Deno.copyFileSync(join(FIXTURES, "cmyk.jpg"), join(dir, "b/y.jpg"));
    await rejects(
      batches(imageFolder(resized), { batchSize: 6 }),
      /Sample 3 .*b\/y\.jpg: JPEG with CMYK or YCCK colours/,
    );
    Deno.writeFileSync(join(dir, "b/y.jpg"), Deno.readFileSync(join(FIXTURES, "baseline.jpg")).subarray(0, 900));
    for (const numWorkers of [0, 2]) {
      await rejects(
        batches(imageFolder(resized), { batchSize: 6, numWorkers }),
        /Sample 3 .*b\/y\.jpg: broken JPEG: Premature end of JPEG file/,
      );
    }
    Deno.removeSync(join(dir, "b/y.jpg"));
    Deno.symlinkSync(join(dir, "gone"), join(dir, "b/y.jpg"));
    await rejects(batches(imageFolder(resized), { batchSize: 6 }), /Sample 3 .*Cannot read .*b\/y\.jpg: No such file/);
    Deno.removeSync(join(dir, "b/y.jpg"));
    Deno.copyFileSync(join(FIXTURES, "photo.gif"), join(dir, "b/y.gif"));
    refuses(() => describeDataset(imageFolder(resized)), /b\/y\.gif: expected PNG and JPEG files; convert it/);
    Deno.removeSync(join(dir, "b/y.gif"));
    Deno.mkdirSync(join(dir, "d"));
    refuses(
      () => describeDataset(imageFolder(resized)),
      /The class folder .*\/d has no PNG or JPEG file; add some, or/,
    );
    Deno.mkdirSync(join(dir, "d/deeper"));
    refuses(() => describeDataset(imageFolder(resized)), /class folder .*\/d has a folder deeper in it/);
    Deno.removeSync(join(dir, "d"), { recursive: true });
    refuses(
      () => describeDataset(imageFolder({ ...resized, test: join(dir, "a") })),
      /a has no folder in it; expected/,
    );
    refuses(
      () => describeDataset(imageFolder({ ...resized, dir: join(dir, "nowhere") })),
      /image folder .*nowhere does not exist/,
    );
  });
});

const module = (name: string) => import.meta.resolve(`./modules/${name}.ts`);

Deno.test("a user's module gives samples, sync, async or in one order, in any number of workers", async () => {
  for (const name of ["squares", "squares_async", "squares_stream"]) {
    const spec = source({ module: module(name), input: { shape: [1, 2, 3] }, classes: 7, unit: "images" });
    const { train, input, classes, target } = describeDataset(spec);
    assert.deepEqual([train.length, input.shape, classes, target], [20, [1, 2, 3], 7, { shape: [], dtype: "i32" }]);
    for (const numWorkers of [0, 1, 2]) {
      const found = await batches(spec, { batchSize: 5, numWorkers }, 5);
      found.forEach((batch, b) => {
        const first = b % 4 * 5;
        assert.deepEqual([...batch.target], [0, 1, 2, 3, 4].map((i) => (first + i) % 7), name);
        assert.equal(batch.input[6], (first + 1) ** 2);
      });
    }
  }
  const awaited = source({ module: module("squares_awaited"), input: { shape: [6] }, classes: 7, length: 20 });
  assert.equal((await batches(awaited, { layout: "row", numWorkers: 1 }))[0]!.input[0], 0);
});

Deno.test("a user's module that does not keep its word is told, with the sample and the cause", async () => {
  const load = (name: string, numWorkers = 0, rest: object = {}) =>
    batches(
      source({ module: module(name), input: { shape: [6] }, classes: 7, length: 20, ...rest }),
      { layout: "row", numWorkers },
    );
  for (const numWorkers of [0, 1]) {
    await rejects(load("broken", numWorkers), /Sample 3 .*broken\.ts: get\(3\) failed: RangeError: no such luck/);
  }
  await rejects(load("squares", 0, { classes: 3 }), /get\(3\) gives 3 as its target; expected a class index 0\.\.2/);
  await rejects(
    load("squares", 0, { input: { shape: [7] } }),
    /get\(0\) gives Float32Array of 6 values as its input; expe/,
  );
  await rejects(load("squares", 0, { input: { shape: [6], dtype: "u8" } }), /expected Uint8Array of 6 values/);
  await rejects(load("nowhere"), /nowhere\.ts cannot be imported/);
  refuses(
    () => describeDataset(source({ module: module("squares_awaited"), input: { shape: [6] }, classes: 7 })),
    /cannot be imported here to ask for its length: .*await.* Give source\(\{ length \}\)/,
  );
  refuses(
    () => describeDataset(source({ module: module("squares"), input: { shape: [6] } })),
    /data\.classes is null, but the targets are class indices/,
  );
});

Deno.test("delays of reading and decoding are slept, and change nothing else", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 10) }, async (dir) => {
    const fast = await batches(cifar10({ dir }), {});
    const begin = performance.now();
    const slow = await batches(cifar10({ dir, delay: { read: 6, collate: 20 } }), {});
    assert.ok(performance.now() - begin >= 49, `${performance.now() - begin}`);
    assert.deepEqual(slow, fast);
    // Records have nothing to decode; a delay of it is a stage all the same
    await using loader = await createLoader(cifar10({ dir, delay: { read: 1, decode: 4 } }), {
      ...DEFAULTS,
      shuffle: false,
    });
    assert.deepEqual(await take(loader, fast.length), fast);
    const { stages, threads: [thread] } = loader.profile();
    assert.deepEqual(stages, ["read", "decode", "convert", "collate"]);
    assert.ok(thread!.stages[1]! >= 2 * thread!.timed);
  });
});

Deno.test("oneHot makes vectors of labels, in any number of workers", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 10) }, async (dir) => {
    const plain = cifar10({ dir, transforms: [t.normalize("cifar10")] });
    const spec = cifar10({ dir, transforms: [t.oneHot({ smoothing: 0.1 }), t.normalize("cifar10")] });
    assert.deepEqual(describeDataset(spec).target, { shape: [10], dtype: "f32" });
    const [labels] = await batches(plain, {});
    for (const numWorkers of [0, 2]) {
      const [batch] = await batches(spec, { numWorkers });
      assert.deepEqual(batch!.input, labels!.input);
      assert.ok(batch!.target instanceof Float32Array);
      [...batch!.target].forEach((x, i) => {
        const expected = labels!.target[Math.floor(i / 10)] === i % 10 ? 0.91 : 0.01;
        assert.ok(Math.abs(x - expected) < 1e-6, `${i}: ${x}`);
      });
    }
    refuses(() => describeDataset(cifar10({ dir, transforms: [t.oneHot(), t.oneHot()] })), /oneHot is listed twice/);
  });
  const values = { input: { shape: [1], data: new Float32Array(2) }, target: { data: new Float32Array(2) } };
  refuses(
    () => describeDataset(tensors({ ...values, transforms: [t.oneHot()] })),
    /oneHot needs targets that are class/,
  );
});
