import assert from "node:assert/strict";
import { cacheSamples } from "../../../runtime/analysis/advice/cache_samples.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import { apply, cifar, config, input, listed, measured, pipeline, said, stage } from "./fixture.ts";

const burn: TransformSpec = t.map(function burn() {}, { module: import.meta.url });

/** A variant whose main thread reads for 80 ms of each batch, runs the chain's passes, and trains for 20 ms. */
function slow(transforms: readonly TransformSpec[], passes: readonly [string, number][], data = {}) {
  const making = passes.reduce((sum, [, time]) => sum + time, 80);
  return measured({ step: making + 20, reader: making }, {
    config: config({ data: { ...listed(transforms), ...data } }),
    pipeline: pipeline(making, {
      stages: [stage("read", "read", 80), ...passes.map(([name, time]) => stage(name, "transform", time))],
    }),
  });
}

Deno.test("cache samples: names the stage that takes longest, and keeps what is the same in every epoch", () => {
  const finding = apply(cacheSamples, input(slow([t.randomCrop(32)], [["randomCrop", 20]])));
  assert.match(finding!.message, /^read takes 80\.0 % of making a batch, .* in memory$/);
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ['data.cache: null -> {"in":"memory","after":0,"limit":1073741824,"fill":true}']);
  // 32 samples of 3,072 bytes are found in 1.5 us each and read at 6 GB/s
  assert.ok(Math.abs(gain - 120 / (120 - 80 + 32 * (0.0015 + 3072 / 6e6))) < 1e-9, String(gain));
});

Deno.test("cache samples: behind the user's own transform, but not behind random ones or the pass that writes the batch", () => {
  const chain = [burn, t.randomCrop(32), t.normalize("cifar10")];
  const passes: [string, number][] = [["convert", 3], ["map(burn)", 200], ["randomCrop+normalize", 20]];
  const finding = apply(cacheSamples, input(slow(chain, passes)));
  assert.match(finding!.message, /^map\(burn\) takes 66\.0 % of making a batch/);
  assert.deepEqual(said(finding).changes, [
    'data.cache: null -> {"in":"memory","after":1,"limit":1073741824,"fill":true}',
  ]);
  const random = apply(cacheSamples, input(slow([t.randomCrop(32), burn], [["randomCrop", 3], ["map(burn)", 200]])));
  assert.deepEqual(said(random).changes, [
    'data.cache: null -> {"in":"memory","after":0,"limit":1073741824,"fill":true}',
  ]);
});

Deno.test("cache samples: a cache also spares the sleep of a slow source", () => {
  const variant = measured({ step: 100, reader: 80 }, {
    config: config({
      data: { ...listed([]), delay: { read: 2, decode: 0, collate: 0 } },
      loader: { numWorkers: 1 },
    }),
    pipeline: pipeline(80, { numWorkers: 1, stages: [stage("read", "read", 75), stage("convert", "transform", 5)] }),
  });
  // 64 of the 80 ms are slept; without them, a step takes the 20 ms that it takes with a batch at hand
  assert.ok(Math.abs(said(apply(cacheSamples, input(variant))).gain - 80 / 20) < 1e-9);
});

Deno.test("cache samples: in a file where they do not fit in memory, and nowhere where they fit nowhere", () => {
  const variant = slow([], [["convert", 5]]);
  const large = said(apply(cacheSamples, input(variant, { data: cifar({ samples: 1e6 }) })));
  assert.deepEqual(large.changes, [`data.cache: null -> {"in":"file","after":0,"limit":${1e6 * 3072},"fill":true}`]);
  assert.equal(apply(cacheSamples, input(variant, { data: cifar({ samples: 1e6, side: 224 }) })), null);
});

Deno.test("cache samples: silent with a cache, and where the loop does not wait", () => {
  const cache = { in: "memory", after: 0 };
  assert.equal(apply(cacheSamples, input(slow([], [["convert", 5]], { cache }))), null);
  const fed = { ...slow([], [["convert", 5]]), ...measured({ step: 100, reader: 1 }) };
  assert.equal(apply(cacheSamples, input(fed)), null);
});
