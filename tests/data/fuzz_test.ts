/** Randomly damaged files: rejected by name or read correctly, never a hang or another kind of error. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { InputError } from "../../runtime/core/errors.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { imageFolder } from "../../runtime/data/sources/image_folder.ts";
import { readIdx, readIdxHeader } from "../../runtime/data/idx_file.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { DEFAULTS, RECORD, recordFile, take, withFolder } from "./fixtures.ts";
import { rejects } from "../support/refuses.ts";

/** Makes an IDX file of 12 images of 5 x 4 bytes. */
function idxImages(): Uint8Array {
  const bytes = new Uint8Array(16 + 240);
  bytes.set([0, 0, 8, 3, 0, 0, 0, 12, 0, 0, 0, 5, 0, 0, 0, 4]);
  for (let i = 0; i < 240; i++) bytes[16 + i] = i * 7;
  return bytes;
}

/** Reads the values of a file; null if it is rejected. */
function read(path: string): Uint8Array | null {
  try {
    return readIdx(readIdxHeader(path)).slice();
  } catch (error) {
    assert.ok(error instanceof InputError, `${error}`);
    assert.ok(error.message.includes(path), error.message);
    return null;
  }
}

Deno.test("a gzipped IDX file with any byte changed, or truncated anywhere, is rejected or holds the same values", async () => {
  const good = idxImages();
  const packed = gzipSync(good);
  await withFolder({}, (dir) => {
    let files = 0;
    const written = (bytes: Uint8Array) => {
      const path = join(dir, `${files++}.gz`); // a new name per file, since contents are cached by path
      Deno.writeFileSync(path, bytes);
      return path;
    };
    assert.deepEqual(read(written(packed)), good.slice(16));
    for (let length = 0; length < packed.length; length++) {
      assert.equal(read(written(packed.subarray(0, length))), null, `${length} of ${packed.length} bytes`);
    }
    let accepted = 0;
    for (let at = 0; at < packed.length; at++) {
      for (const change of [1, 0x80, 0xff]) {
        const bytes = packed.slice();
        bytes[at]! ^= change;
        const values = read(written(bytes));
        if (values === null) continue;
        accepted++;
        assert.deepEqual(values, good.slice(16), `byte ${at} changed by ${change}`);
      }
    }
    assert.ok(accepted <= 3 * 7, "only the date, the system and the hints in gzip's header do not matter");
  });
});

Deno.test("a gzip file that decompresses to more than its header says is rejected before it fills the memory", async () => {
  const bytes = new Uint8Array(16 + 64 * 2 ** 20);
  bytes.set(idxImages());
  await withFolder({ "bomb.gz": gzipSync(bytes) }, (dir) => {
    const before = Deno.memoryUsage().rss;
    assert.throws(
      () => readIdx(readIdxHeader(join(dir, "bomb.gz"))),
      /bomb\.gz has more than 256 bytes decompressed; expected 256/,
    );
    assert.ok(Deno.memoryUsage().rss - before < 32 * 2 ** 20);
  });
});

Deno.test("a CIFAR label of any value is a class or is rejected with file and record", async () => {
  await withFolder({}, async (dir) => {
    for (const value of [9, 10, 99, 255]) {
      const bytes = recordFile(0, 6);
      bytes[4 * RECORD] = value;
      Deno.writeFileSync(join(dir, "data_batch_1.bin"), bytes);
      await using loader = await createLoader(cifar10({ dir }), { ...DEFAULTS, batchSize: 6, shuffle: false });
      if (value < 10) assert.equal((await take(loader, 1))[0]!.target[4], value);
      else {await rejects(
          loader.next(),
          new RegExp(`Sample 4 .*data_batch_1\\.bin: record 4 has label ${value}; expected 0\\.\\.9`),
        );}
    }
  });
});

Deno.test("an image folder of random bytes fails with the reason, skipped or not, on any thread", async () => {
  await withFolder({}, async (dir) => {
    Deno.mkdirSync(join(dir, "a"));
    for (let i = 0; i < 8; i++) {
      const bytes = crypto.getRandomValues(new Uint8Array(64));
      bytes.set(i % 2 === 0 ? [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] : [0xff, 0xd8, 0xff]);
      Deno.writeFileSync(join(dir, "a", `${i}.${i % 2 === 0 ? "png" : "jpg"}`), bytes);
    }
    const spec = imageFolder({ dir, size: [8, 8], transforms: [t.resize([4, 4])] });
    for (const numWorkers of [0, 1]) {
      for (const onError of ["fail", "skip"] as const) {
        await using loader = await createLoader(spec, { ...DEFAULTS, batchSize: 4, numWorkers, onError });
        const start = onError === "skip" ? "16 samples in a row are invalid\\. " : "";
        await rejects(
          loader.next(),
          new RegExp(`^${start}Sample \\d \\(batch 0\\): .*a/\\d\\.(png|jpg): .*(PNG|JPEG)`),
        );
      }
    }
  });
});
