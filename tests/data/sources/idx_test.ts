import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import fc from "../../packages/fast_check.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { mnist } from "../../../runtime/data/sources/idx.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import { batches, DEFAULTS, take, withFolder } from "../fixtures.ts";
import { rejects } from "../../support/refuses.ts";

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

Deno.test("IDX files load plain and gzipped, under both spellings of their names", async () => {
  const plain = mnistFiles();
  const zipped = Object.fromEntries(Object.entries(plain).map(([name, bytes]) => [`${name}.gz`, gzipSync(bytes)]));
  const dotted = Object.fromEntries(
    Object.entries(plain).map(([name, bytes]) => [name.replace("-idx", ".idx"), bytes]),
  );
  for (const files of [plain, zipped, dotted]) {
    await withFolder(files, async (dir) => {
      const { train, test, input, classes } = describeDataset(mnist({ dir }));
      assert.deepEqual([train.length, test?.length, input!.shape, classes], [12, 3, [1, 5, 4], 10]);
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

Deno.test("damaged IDX files are rejected with their name", async () => {
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
  await damaged(
    images,
    Uint8Array.of(1, 2, 3, 4, 5),
    /is not an IDX file: it begins with 01 02 03 04; expected 00 00 08/,
  );
  await damaged(images, new Uint8Array(0), /is not an IDX file: it is empty/);
  await damaged(images, good.subarray(0, 10), /ends within its header \(10 of 16 bytes\)/);
  await damaged(images, idxFile([11, 5, 4], pixels), /has 11 images, but .*train-labels-idx1-ubyte has 12 labels/);
  await damaged(labels, idxFile([12], (i) => i), /train-labels-idx1-ubyte: label 10 is 10; expected 0\.\.9/);
  await damaged(labels, idxFile([12, 1], () => 0), /has 2 dimensions; expected 1/);
  const packed = gzipSync(good);
  await damaged(
    images,
    packed.subarray(0, packed.length - 20),
    /is not a complete gzip file: .*truncated or damaged/,
    true,
  );
  await damaged(images, gzipSync(good.subarray(0, 250)), /has 250 bytes decompressed; expected 256/, true);
  await damaged(images, good, /is not a complete gzip file/, true);
  await damaged(images, packed, /is not an IDX file: it begins with 1f 8b .*; it is gzipped: rename it to end in \.gz/);
});

Deno.test("onError: skip replaces a sample whose IDX label is out of range", async () => {
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

Deno.test("any change to an IDX header is rejected", async () => {
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
