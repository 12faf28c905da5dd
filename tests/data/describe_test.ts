import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "../packages/fast_check.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../runtime/data/sources/synthetic_images.ts";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { RECORD, recordFile, smallSet, withFolder } from "./fixtures.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("the stand-in is described without being drawn", () => {
  Deno.env.set("TACHO_CACHE", "/nowhere/at/all");
  try {
    assert.deepEqual(describeDataset(cifar10({ transforms: [t.randomCrop(28)] })), {
      train: { length: 50000 },
      test: { length: 10000 },
      input: { shape: [3, 28, 28], dtype: "f32" },
      inputs: { input: { shape: [3, 28, 28], dtype: "f32" } },
      fields: {},
      target: { shape: [], dtype: "i32" },
      classes: 10,
      unit: "images",
      unitsPerSample: 1,
      sample: { dtype: "u8", channels: 3, height: 32, width: 32, order: "chw", image: true },
    });
  } finally {
    Deno.env.delete("TACHO_CACHE");
  }
});

Deno.test("folders, synthetic images and tensors are described", async () => {
  await withFolder(smallSet(), (dir) => {
    const { train, test } = describeDataset(cifar10({ dir }));
    assert.deepEqual({ train, test }, { train: { length: 24 }, test: { length: 7 } });
  });
  const { "test_batch.bin": _, ...trainOnly } = smallSet();
  await withFolder(trainOnly, (dir) => assert.equal(describeDataset(cifar10({ dir })).test, null));

  const images = describeDataset(syntheticImages({ channels: 1, height: 4, width: 6, classes: 7, length: 11 }));
  assert.deepEqual([images.train.length, images.test, images.classes, images.input!.shape], [11, null, 7, [1, 4, 6]]);

  const mnist = describeDataset(tensors({
    input: { shape: [784], data: new Uint8Array(784 * 3) },
    target: { data: Int32Array.of(0, 4, 2) },
    test: { input: { shape: [784], data: new Uint8Array(784) }, target: { data: Int32Array.of(5) } },
    transforms: [t.normalize("mnist")],
  }));
  assert.deepEqual(mnist, {
    train: { length: 3 },
    test: { length: 1 },
    input: { shape: [784], dtype: "f32" },
    inputs: { input: { shape: [784], dtype: "f32" } },
    fields: {},
    target: { shape: [], dtype: "i32" },
    classes: 6,
    unit: "samples",
    unitsPerSample: 1,
    sample: { dtype: "u8", channels: 1, height: 1, width: 784, order: "chw", image: false },
  });

  const regression = describeDataset(tensors({
    input: { shape: [2, 2], data: new Float32Array(8) },
    target: { shape: [3], data: new Float32Array(6) },
  }));
  assert.deepEqual(regression.target, { shape: [3], dtype: "f32" });
  assert.deepEqual([regression.input!.shape, regression.classes], [[2, 2], null]);
});

Deno.test("transforms that do not fit the samples are rejected", () => {
  refuses(
    () => describeDataset(cifar10({ transforms: [t.randomCrop(41, { padding: 4 })] })),
    /data\.transforms\[0\]: randomCrop\(41\) is larger than the image's height 32 with padding 4.*at most 40.*at least 5/,
  );
  refuses(
    () => describeDataset(cifar10({ transforms: [t.randomCrop(16), t.randomCrop(17)] })),
    /transforms\[1\]: randomCrop\(17\).*height 16;/,
  );
  refuses(
    () => describeDataset(cifar10({ transforms: [t.normalize("mnist")] })),
    /normalize has 1 means but the samples have 3 channels/,
  );
  const flat = (transforms: Parameters<typeof tensors>[0]["transforms"]) =>
    describeDataset(
      tensors({
        input: { shape: [4], data: new Uint8Array(4) },
        target: { data: Int32Array.of(0) },
        transforms: transforms ?? [],
      }),
    );
  refuses(() => flat([t.randomCrop(1)]), /randomCrop needs samples \[channels, height, width\]/);
  refuses(() => flat([t.randomHorizontalFlip()]), /randomHorizontalFlip needs samples/);
  refuses(() => flat([t.normalize("cifar10")]), /normalize has 3 means but the samples have one channel/);
});

Deno.test("a missing folder, a file and an empty folder are rejected", async () => {
  refuses(
    () => describeDataset(cifar10({ dir: "/no/such/folder" })),
    /folder \/no\/such\/folder does not exist; expected the folder/,
  );
  await withFolder({ file: new Uint8Array(1) }, (dir) => {
    refuses(() => describeDataset(cifar10({ dir: join(dir, "file") })), /is not a folder/);
    refuses(() => describeDataset(cifar10({ dir })), /lacks data_batch_1\.bin \(it has no \.bin file\)/);
  });
});

Deno.test("missing and unreadable files are named", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(0, 1), "data_batch_3.bin": recordFile(0, 1) }, (dir) => {
    refuses(
      () => describeDataset(cifar10({ dir })),
      /lacks data_batch_2\.bin \(it has data_batch_1\.bin, data_batch_3\.bin\)/,
    );
  });
  await withFolder({ "data_batch_1.bin": new Uint8Array(0) }, (dir) => {
    refuses(
      () => describeDataset(cifar10({ dir })),
      /data_batch_1\.bin has 0 bytes, less than one record; expected a whole number/,
    );
    Deno.removeSync(join(dir, "data_batch_1.bin"));
    Deno.mkdirSync(join(dir, "data_batch_1.bin"));
    refuses(() => describeDataset(cifar10({ dir })), /data_batch_1\.bin is not a file; expected records/);
    Deno.removeSync(join(dir, "data_batch_1.bin"));
    {
      using _socket = Deno.listen({ transport: "unix", path: join(dir, "data_batch_1.bin") });
      refuses(() => describeDataset(cifar10({ dir })), /data_batch_1\.bin is not a file; expected records/);
    }
    Deno.symlinkSync("/dev/zero", join(dir, "data_batch_1.bin"));
    refuses(() => describeDataset(cifar10({ dir })), /data_batch_1\.bin is not a file; expected records/);
    Deno.removeSync(join(dir, "data_batch_1.bin"));
    Deno.symlinkSync(join(dir, "gone"), join(dir, "data_batch_1.bin"));
    refuses(() => describeDataset(cifar10({ dir })), /Cannot read .*data_batch_1\.bin: No such file/);
  });
});

/** Writes a sparse file with the size of `records` records. */
function sparse(dir: string, name: string, records: number, over = 0): void {
  Deno.writeFileSync(join(dir, name), new Uint8Array(0));
  Deno.truncateSync(join(dir, name), records * RECORD + over);
}

Deno.test("an official set must be complete", async () => {
  await withFolder({}, (dir) => {
    for (let i = 1; i <= 5; i++) sparse(dir, `data_batch_${i}.bin`, 10000);
    refuses(() => describeDataset(cifar10({ dir })), /lacks test_batch\.bin/);
    sparse(dir, "test_batch.bin", 10000);
    assert.equal(describeDataset(cifar10({ dir })).train.length, 50000);
    sparse(dir, "data_batch_3.bin", 9999);
    refuses(
      () => describeDataset(cifar10({ dir })),
      /data_batch_3\.bin has 9999 records; expected 10000, as in .*data_batch_1\.bin/,
    );
    sparse(dir, "data_batch_3.bin", 10001);
    refuses(() => describeDataset(cifar10({ dir })), /data_batch_3\.bin has 10001 records; expected 10000/);
    sparse(dir, "data_batch_3.bin", 10000);
    sparse(dir, "data_batch_6.bin", 10000);
    refuses(() => describeDataset(cifar10({ dir })), /data_batch_6\.bin is one file too many/);
    Deno.removeSync(join(dir, "data_batch_6.bin"));
    Deno.removeSync(join(dir, "data_batch_5.bin"));
    refuses(() => describeDataset(cifar10({ dir })), /lacks data_batch_5\.bin/);
  });
});

Deno.test("a size that is not a whole number of records is rejected with the file and its size", async () => {
  await withFolder(smallSet(), (dir) => {
    fc.assert(
      fc.property(
        fc.constantFrom("data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"),
        fc.nat(12),
        fc.integer({ min: 1, max: RECORD - 1 }),
        (name, records, over) => {
          sparse(dir, name, records, over);
          try {
            const size = records * RECORD + over;
            refuses(() => describeDataset(cifar10({ dir })), new RegExp(`${name} has ${size} bytes`));
          } finally {
            sparse(dir, name, 3);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
