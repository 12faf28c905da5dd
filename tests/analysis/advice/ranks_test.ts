import assert from "node:assert/strict";
import { largerBucket } from "../../../runtime/analysis/advice/ranks/bucket.ts";
import { compressGradients } from "../../../runtime/analysis/advice/ranks/compress.ts";
import { largerLocalBatch } from "../../../runtime/analysis/advice/ranks/local_batch.ts";
import { overlapRanks } from "../../../runtime/analysis/advice/ranks/overlap.ts";
import { slowRank } from "../../../runtime/analysis/advice/ranks/slow_rank.ts";
import type { Ranks } from "../../../runtime/result/ranks.ts";
import { apply, config, input, measured, said, type StepFigures } from "./fixture.ts";

/** 4 MB of gradients in buckets, over a network of 2 ms and 200 MB/s: 22 ms in one all-reduce, and 1 ms for each further. */
function ranks(buckets: number, network = 21 + buckets, straggler: Ranks["straggler"] = null): Ranks {
  const rank = (rank: number) => ({
    ...{ rank, host: `node${rank}`, adapter: "GPU", device: null, steps: 10, batchCost: 100, readerCost: 1 },
    ...{ iterationGap: 1, forward: 20, backward: 40, update: 1 },
    allReduce: { copyOut: 3, wait: 2, network, copyIn: 1, hidden: 0 },
  });
  return {
    ...{ size: 2, efficiency: null, notHidden: 1, imbalance: 0, straggler },
    network: { latency: 2, bandwidth: 200_000, overhead: 1 },
    buckets: Array.from({ length: buckets }, () => ({ bytes: 4e6 / buckets, parameters: 1, calls: 10, total: 10 })),
    ranks: [rank(0), rank(1)],
  };
}

const distributed = (
  ranks: Ranks,
  settings: Record<string, boolean | string | null> = {},
  figures: StepFigures = {},
) =>
  input(measured({ step: 100, backward: 40, ...figures }, {
    config: config({ distribute: { overlap: false, compress: null, ...settings } }),
    ranks,
  }));

Deno.test("larger bucket: saves the time that each further all-reduce takes", () => {
  const { changes, gain } = said(apply(largerBucket, distributed(ranks(5))));
  assert.deepEqual(changes, ["distribute.bucket: 800000 -> 4000000"]);
  assert.equal(gain, 100 / 96);
  assert.equal(apply(largerBucket, distributed(ranks(1))), null);
  assert.equal(apply(largerBucket, distributed(ranks(5), { overlap: true })), null);
});

Deno.test("overlap: hides transfers behind the backward pass, up to its length", () => {
  const { changes, gain } = said(apply(overlapRanks, distributed(ranks(1))));
  assert.deepEqual(changes, ["distribute.overlap: false -> true", "distribute.bucket: null -> 2000000"]);
  // Two all-reduces take 23 ms, 11.5 of them hidden, and the device waits for 7 ms between them
  assert.equal(gain, 100 / (100 - (22 - 11.5 - 7)));
  const short = said(apply(overlapRanks, distributed(ranks(1), {}, { gap: 1.5 })));
  // With 0.5 ms between them, eight take 29 ms, 25.375 of them hidden
  assert.deepEqual(short.changes.at(-1), "distribute.bucket: null -> 500000");
  assert.equal(short.gain, 100 / (100 - (22 - 3.625 - 3.5)));
  assert.equal(apply(overlapRanks, distributed(ranks(1), { overlap: true })), null);
  assert.equal(apply(overlapRanks, distributed(ranks(1), {}, { backward: 4 })), null); // the copy out takes longer
});

Deno.test("compression: halves the time that depends on the bandwidth, for a second operation", () => {
  const { gain } = said(apply(compressGradients, distributed(ranks(1))));
  assert.equal(gain, 100 / 92);
  const slow = { ...ranks(1), network: { latency: 2, bandwidth: 200_000, compressed: 250_000 } };
  assert.equal(said(apply(compressGradients, distributed(slow))).gain, 100 / 98); // conversions take time
  assert.equal(said(apply(compressGradients, distributed(ranks(1, 18)))).gain, 100 / 96, "14 ms instead of 18");
  assert.equal(apply(compressGradients, distributed(ranks(5))), null); // ten operations, one after the other
  assert.equal(apply(compressGradients, distributed(ranks(1), { compress: "f16" })), null);
});

Deno.test("larger local batch: spreads the all-reduce and the host's work over more samples", () => {
  const { changes, gain } = said(apply(largerLocalBatch, distributed(ranks(1), {}, { forward: 20, reader: 1 })));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 64"]);
  // 60 ms on the device and 2 for the update; 1 ms to read comes for each sample, and waits of the ranks once
  assert.ok(Math.abs(gain - 100 / ((37 + 2 + 120) / 2 + 1)) < 1e-9, `${gain}`);
  const slow = ranks(1, 22, { rank: 1, cause: "data", excess: 1.5 });
  const behind = said(apply(largerLocalBatch, distributed(slow, {}, { forward: 20, reader: 1 })));
  assert.ok(Math.abs(behind.gain - 100 / ((35.5 + 2 + 120) / 2 + 2.5)) < 1e-9, `${behind.gain}`);
  const busy = { forward: 59, reader: 1 };
  assert.equal(apply(largerLocalBatch, distributed(ranks(1), {}, { ...busy, update: 0 })), null, "nothing to spread");
});

Deno.test("slow rank: is named with its cause and the time that it costs", () => {
  const finding = apply(slowRank, distributed(ranks(1, 22, { rank: 1, cause: "data", excess: 20 })));
  assert.match(finding!.message, /Rank 1 on node1 .* data loading/);
  assert.equal(finding!.predicted!.gain, 100 / 80);
  assert.equal(apply(slowRank, distributed(ranks(1))), null);
});
