import assert from "node:assert/strict";
import { join } from "node:path";
import { encode } from "fast-png";
import { imageFolder, transforms as t } from "../../mod.ts";
import { images, lossBits, runVariants } from "../trainer/feed/experiments.ts";
import { full } from "../support/full.ts";
import { withFolder } from "./fixtures.ts";

/** Writes two classes of 10 images each, of different sizes. */
function files(dir: string): void {
  for (const [c, name] of ["a", "b"].entries()) {
    Deno.mkdirSync(join(dir, name));
    for (let i = 0; i < 10; i++) {
      const [width, height] = [10 + i, 12 - c];
      const data = Uint8Array.from({ length: 3 * width * height }, (_, j) => (j * (31 + c) + 7 * i) % 251);
      Deno.writeFileSync(join(dir, name, `${i}.png`), encode({ width, height, channels: 3, data }));
    }
  }
}

Deno.test("losses are bit-for-bit the same for every loader, feed and placement", async () => {
  await withFolder({}, async (dir) => {
    files(dir);
    Deno.writeFileSync(join(dir, "a", "5.png"), new Uint8Array(9)); // is skipped
    const transforms = [
      t.randomResizedCrop(10),
      t.cutout(3),
      t.randomCrop(8, { padding: 2 }),
      t.randomHorizontalFlip(),
      t.normalize({ mean: [0.4, 0.5, 0.6], std: [0.2, 0.3, 0.25] }),
    ];
    const loaders = {
      direct: { numWorkers: 0 },
      one: { numWorkers: 1, prefetch: 1 },
      two: { numWorkers: 2, prefetch: 3 },
      four: { numWorkers: 4, prefetch: 1 },
      sent: { numWorkers: 2, prefetch: 2, sharedMemory: false },
    };
    // A few variants that combine every loader with every value of the other settings, or with one in the fast set
    const ways = [
      { sink: 0, fuse: true, placement: "host" },
      { sink: 0, fuse: false, placement: "device" },
      { sink: 2, fuse: true, placement: "device" },
      { sink: 4, fuse: false, placement: "host" },
    ] as const;
    const variants = Object.fromEntries(
      Object.entries(loaders).flatMap(([name, loader], i) =>
        (full ? ways : [ways[i % ways.length]!]).map(({ sink, fuse, placement }) => [
          `${name}-sink${sink}-${fuse ? "fused" : "single"}-${placement}`,
          { loader, sink, data: { fuse, placement } },
        ])
      ),
    );
    const results = await runVariants(images({
      data: imageFolder({ dir, transforms }),
      loader: { batchSize: 4, onError: "skip" },
      measure: { steps: 4, skip: 4, maxSkip: 4, rounds: 2 },
      variants,
    }));
    assert.equal(results.size, full ? 20 : 5);
    const [first] = results.values();
    const wanted = lossBits(first!);
    assert.equal(new Set(wanted).size, 12, "every step has a different loss");
    for (const [name, result] of results) {
      assert.equal(result.error, null, name);
      // Variants with workers run more steps, including warm-up steps of each block
      assert.deepEqual(lossBits(result).slice(0, wanted.length), wanted, name);
      assert.ok(result.pipeline!.skipped > 0, name);
    }
  });
});
