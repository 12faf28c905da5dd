import assert from "node:assert/strict";
import { join } from "node:path";
import { encode } from "fast-png";
import { describeDataset } from "../../runtime/data/describe.ts";
import { openFile, readableSize, readAt, readFile, stampOf } from "../../runtime/data/files.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { cifar100 } from "../../runtime/data/sources/cifar100.ts";
import { idx } from "../../runtime/data/sources/idx.ts";
import { imageFolder } from "../../runtime/data/sources/image_folder.ts";
import { source } from "../../runtime/data/sources/module.ts";
import { npz } from "../../runtime/data/sources/npz.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import { LARGEST } from "../../runtime/core/files.ts";
import { makePipe, SPECIAL_FILES } from "../support/special_files.ts";
import { batches, recordFile, withFolder } from "./fixtures.ts";
import { refuses, rejects } from "../support/refuses.ts";

Deno.test("every read refuses what is not a regular file, before it opens it", async () => {
  for (const [name, make] of Object.entries(SPECIAL_FILES)) {
    await withFolder({}, (dir) => {
      const path = join(dir, "entry");
      using _special = make(path);
      const reads = [
        () => openFile(path),
        () => readFile(path, LARGEST.image),
        () => readAt(path, 0, 8),
        () => stampOf(path),
      ];
      for (const read of reads) refuses(read, /entry is not a file$/);
      refuses(() => readableSize(path, "an IDX file"), /entry is not a file; expected an IDX file$/);
      assert.ok(Deno.lstatSync(path), name);
    });
  }
});

Deno.test("every source of files refuses a pipe in place of a file", async () => {
  const idxImages = "train-images-idx3-ubyte";
  const cases: readonly [entry: string, spec: (dir: string) => DataSpec][] = [
    ["data_batch_1.bin", (dir) => cifar10({ dir })],
    ["train.bin", (dir) => cifar100({ dir })],
    [idxImages, (dir) => idx({ dir })],
    ["set.npz", (dir) => npz({ file: join(dir, "set.npz"), train: { input: "x", target: "y" } })],
    ["x.npy", (dir) => npz({ train: { input: join(dir, "x.npy"), target: join(dir, "x.npy") } })],
    ["own.ts", (dir) => source({ module: join(dir, "own.ts"), input: { shape: [2] }, classes: 2, length: 5 })],
  ];
  for (const [entry, spec] of cases) {
    const others = entry === idxImages ? { "train-labels-idx1-ubyte": new Uint8Array(8) } : {};
    await withFolder({ ...others }, (dir) => {
      makePipe(join(dir, entry));
      refuses(() => describeDataset(spec(dir)), new RegExp(`${entry.replace(".", "\\.")} is not a file; expected `));
    });
  }
});

Deno.test("an image that is a pipe or a link to a device is refused, with and without workers", async () => {
  for (const kind of ["a pipe", "a link to a device", "a socket"]) {
    await withFolder({}, async (dir) => {
      Deno.mkdirSync(join(dir, "a"));
      const data = new Uint8Array(12);
      for (const name of ["1.png", "3.png"]) {
        Deno.writeFileSync(join(dir, "a", name), encode({ width: 2, height: 2, channels: 3, data }));
      }
      using _special = SPECIAL_FILES[kind]!(join(dir, "a/2.png"));
      const spec = imageFolder({ dir, size: [2, 2] });
      for (const numWorkers of [0, 1]) {
        await rejects(batches(spec, { batchSize: 3, numWorkers }), /Sample 1 \(batch 0\): .*a\/2\.png is not a file$/);
      }
    });
  }
});

Deno.test("a file of records that a pipe has replaced since the run began is refused", async () => {
  await withFolder({ "data_batch_1.bin": recordFile(1, 13) }, async (dir) => {
    const spec = cifar10({ dir });
    describeDataset(spec);
    Deno.removeSync(join(dir, "data_batch_1.bin"));
    makePipe(join(dir, "data_batch_1.bin"));
    await rejects(batches(spec), /data_batch_1\.bin is not a file/);
  });
});

Deno.test({
  name: "a file or a folder whose name is not UTF-8 is called that",
  ignore: Deno.build.os !== "linux",
  async fn() {
    for (const entry of ["a/x\\351.png", "\\351/x.png"]) {
      await withFolder({}, async (dir) => {
        const make = `file=$(printf '${entry}') && mkdir -p "$(dirname "$file")" && : > "$file"`;
        assert.ok((await new Deno.Command("sh", { args: ["-c", make], cwd: dir }).output()).success);
        const spec = () => batches(imageFolder({ dir, size: [2, 2] }), { batchSize: 1 });
        await rejects(
          (async () => await spec())(),
          /\uFFFD.*: its name is not UTF-8, which Deno cannot open; rename it/,
        );
      });
    }
  },
});
