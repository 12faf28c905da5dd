import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { InterruptedError } from "../../../runtime/core/errors.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { checkJpeg } from "../../../runtime/data/images/jpeg_header.ts";
import { imageFolder } from "../../../runtime/data/sources/image_folder.ts";
import { prepareDataset } from "../../../runtime/data/sources/sources.ts";
import { photosFolder } from "../../../runtime/data/standin/cache.ts";
import { preparePhotos } from "../../../runtime/data/standin/prepare.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { batches } from "../fixtures.ts";
import { withCache } from "./with_cache.ts";
import { rejects } from "../../support/refuses.ts";

const spec = imageFolder({ transforms: [t.resize([4, 4])] });

function read(folder: string, name: string): Uint8Array {
  return Deno.readFileSync(join(photosFolder(), folder, name));
}

Deno.test("photos are drawn once, as JPEG files in a folder per class, with progress, the same on every machine, and loaded", async () => {
  await withCache(async (cache) => {
    const fractions: number[] = [];
    const folder = await preparePhotos({ records: 1, onProgress: (fraction) => fractions.push(fraction) });
    assert.equal(folder, photosFolder());
    assert.equal(fractions.at(-1), 1);
    assert.equal(fractions.length, 10);
    assert.deepEqual([...Deno.readDirSync(cache)].map(({ name }) => name), [folder.slice(cache.length + 1)]);
    const { width, height, channels } = checkJpeg(read("disc", "000.jpg"));
    assert.deepEqual([width, height, channels], [640, 480, 3]);
    const hash = createHash("sha256");
    for (const name of ["disc", "diagonal_stripes"]) hash.update(read(name, "000.jpg"));
    assert.equal(
      hash.digest("hex"),
      "729a3a4e285d7f715e21c6cfba4b6ba80d02a06caab95b349cabe4cd54aab352",
      "a changed image needs a new version in PHOTOS",
    );

    const before = Deno.statSync(folder).mtime;
    await prepareDataset(imageFolder(), { onProgress: () => assert.fail("drawn again") });
    assert.deepEqual(Deno.statSync(folder).mtime, before);

    const [batch] = await batches(spec, { batchSize: 10, numWorkers: 2 });
    assert.deepEqual([...batch!.target], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual((await batches(spec, { batchSize: 10 }))[0], batch);
    await rejects(
      batches(spec, { batchSize: 1, split: "test" }),
      /imageFolder has no test split; give imageFolder\(\{ test \}\)/,
    );
  });
});

Deno.test("imageFolder without a folder describes the photos before they are drawn", async () => {
  await withCache(() => {
    const described = describeDataset(spec);
    assert.deepEqual(described.input!.shape, [3, 4, 4]);
    assert.deepEqual([described.train.length, described.test, described.classes], [60, null, 10]);
    assert.deepEqual(describeDataset(imageFolder()).input!.shape, [3, 480, 640]);
  });
});

Deno.test("Ctrl-C while photos are drawn leaves no files", async () => {
  await withCache(async (cache) => {
    const controller = new AbortController();
    const drawing = prepareDataset(imageFolder(), {
      signal: controller.signal,
      onProgress: (fraction) => fraction > 0.05 && controller.abort(),
    });
    await assert.rejects(drawing, InterruptedError);
    assert.deepEqual([...Deno.readDirSync(cache)], []);
  });
});

Deno.test("a cache folder that cannot hold the photos is reported with its reason and what to do", async () => {
  await withCache(async (cache) => {
    Deno.writeTextFileSync(cache, "a file");
    await rejects(
      prepareDataset(imageFolder()),
      /^Cannot draw a stand-in for photos into .*; free 6 MB there, set .*TACHO_CACHE .*, or use .*imageFolder\(\{ dir \}\)$/,
    );
  });
});

/** Program that draws the photos and prints the message of its error, then the files that are left. */
const DRAW = `
const { prepareDataset } = await import(${
  JSON.stringify(import.meta.resolve("../../../runtime/data/sources/sources.ts"))
});
const { imageFolder } = await import(
  ${JSON.stringify(import.meta.resolve("../../../runtime/data/sources/image_folder.ts"))}
);
await prepareDataset(imageFolder()).catch(({ name, message }) => console.log(name + ": " + message));
console.log([...Deno.readDirSync(Deno.env.get("TACHO_CACHE"))].length);
`;

/** Runs a command with a disk of 256 KiB mounted on `dir`. */
async function onSmallDisk(dir: string, words: readonly string[]): Promise<string> {
  const mounted = ["-rm", "sh", "-c", 'mount -t tmpfs -o size=256k none "$0" && exec "$@"', dir, ...words];
  const { stdout } = await new Deno.Command("unshare", { args: mounted, stderr: "null", stdin: "null" }).output();
  return new TextDecoder().decode(stdout);
}

const canMount = Deno.build.os === "linux" &&
  await onSmallDisk("/mnt", ["echo", "mounted"]).then((text) => text === "mounted\n", () => false);

Deno.test({
  name: "a disk that is full while photos are drawn is reported in one line and keeps no files",
  ignore: !canMount,
  fn: () =>
    withCache(async (cache) => {
      Deno.mkdirSync(cache);
      const printed = await onSmallDisk(cache, [Deno.execPath(), "eval", "--no-check", DRAW]);
      assert.match(printed, /^InputError: Cannot draw a stand-in for photos into .*No space left.*TACHO_CACHE.*\n0\n$/);
    }),
});
