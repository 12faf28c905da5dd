import assert from "node:assert/strict";
import { join } from "node:path";
import { encode } from "fast-png";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { batches, withFolder } from "../fixtures.ts";
import { refuses, rejects } from "../../support/refuses.ts";

const FIXTURES = join(import.meta.dirname!, "../../fixtures/images");

/** Writes two classes of 6 x 5 PNG files of one value each, and one class of JPEG files. */
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

Deno.test("an image folder has classes and files in the order of their names, decoded in the workers", async () => {
  await withFolder({}, async (dir) => {
    folders(dir);
    const spec = imageFolder({ dir, test: dir, transforms: [t.resize([4, 4])] });
    const { train, test, input, classes, unit } = describeDataset(spec);
    assert.deepEqual([train.length, test?.length, input!.shape, classes, unit], [5, 5, [3, 4, 4], 3, "images"]);
    const expected = await batches(spec, { batchSize: 5 }, 2);
    assert.deepEqual([...expected[0]!.target], [0, 0, 1, 2, 2]);
    assert.deepEqual([0, 1, 2].map((i) => Math.round(expected[0]!.input[i * 48]! * 255)), [1, 2, 3]);
    for (const numWorkers of [1, 2]) {
      for (const fuse of [true, false]) {
        assert.deepEqual(await batches({ ...spec, fuse }, { batchSize: 5, numWorkers }, 2), expected);
      }
    }
    const grey = imageFolder({ dir, channels: 1, transforms: [t.randomResizedCrop(8)] });
    assert.deepEqual(describeDataset(grey).input!.shape, [1, 8, 8]);
    assert.equal((await batches(grey, { batchSize: 5 }))[0]!.input.length, 320);
  });
});

Deno.test("invalid image folders and files are rejected with file, sample and cause", async () => {
  await withFolder({}, async (dir) => {
    folders(dir);
    refuses(
      () => describeDataset(imageFolder({ dir })),
      /the images differ in size, but a batch needs one size; add/,
    );
    const load = (options: Parameters<typeof imageFolder>[0]) => batches(imageFolder(options), { batchSize: 5 });
    await rejects(
      load({ dir, size: [5, 6] }),
      /c\/g\.jpeg is 45 x 34; expected 6 x 5, as set by imageFolder\(\{ size \}\)/,
    );
    await rejects(
      load({ dir, transforms: [t.randomCrop(20)] }),
      /a\/1\.PNG: randomCrop\(20\) is larger than the image's height 5; use a size of at most 5/,
    );
    const resized = { dir, transforms: [t.resize([4, 4])] };
    Deno.copyFileSync(join(FIXTURES, "arithmetic.jpg"), join(dir, "b/y.jpg"));
    await rejects(
      batches(imageFolder(resized), { batchSize: 6 }),
      /Sample 3 .*b\/y\.jpg: arithmetic-coded JPEG/,
    );
    Deno.writeFileSync(join(dir, "b/y.jpg"), Deno.readFileSync(join(FIXTURES, "baseline.jpg")).subarray(0, 900));
    for (const numWorkers of [0, 2]) {
      await rejects(
        batches(imageFolder(resized), { batchSize: 6, numWorkers }),
        /Sample 3 .*b\/y\.jpg: truncated JPEG: image data is missing/,
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
    refuses(() => describeDataset(imageFolder(resized)), /class folder .*\/d has a subfolder deeper; expected/);
    Deno.removeSync(join(dir, "d"), { recursive: true });
    refuses(
      () => describeDataset(imageFolder({ ...resized, test: join(dir, "a") })),
      /a has no subfolder; expected/,
    );
    refuses(
      () => describeDataset(imageFolder({ ...resized, dir: join(dir, "nowhere") })),
      /image folder .*nowhere does not exist/,
    );
  });
});
