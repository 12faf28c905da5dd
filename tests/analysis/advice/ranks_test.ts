import assert from "node:assert/strict";
import { largerBucket } from "../../../runtime/analysis/advice/ranks/bucket.ts";
import { compressGradients } from "../../../runtime/analysis/advice/ranks/compress.ts";
import { largerLocalBatch } from "../../../runtime/analysis/advice/ranks/local_batch.ts";
import { overlapRanks } from "../../../runtime/analysis/advice/ranks/overlap.ts";
import { slowRank } from "../../../runtime/analysis/advice/ranks/slow_rank.ts";
import type { Ranks } from "../../../runtime/result/ranks.ts";
import { apply, config, input, measured, said } from "./fixture.ts";

/** 4 MB of gradients in buckets, over a network of 2 ms and 200 MB/s: 22 ms in one all-reduce. */
function ranks(buckets: number, network = 20 + 2 * buckets, straggler: Ranks["straggler"] = null): Ranks {
  const rank = (rank: number) => ({
    ...{ rank, host: `node${rank}`, adapter: "GPU", device: null, steps: 10, batchCost: 100, readerCost: 1 },
    ...{ iterationGap: 1, forward: 20, backward: 40, update: 1 },
    allReduce: { copyOut: 3, wait: 2, network, copyIn: 1, hidden: 0 },
  });
  return {
    ...{ size: 2, efficiency: null, notHidden: 1, imbalance: 0, straggler },
    network: { latency: 2, bandwidth: 200_000 },
    buckets: Array.from({ length: buckets }, () => ({ bytes: 4e6 / buckets, parameters: 1, calls: 10, total: 10 })),
    ranks: [rank(0), rank(1)],
  };
}

const distributed = (ranks: Ranks, settings: Record<string, boolean | string | null> = {}) =>
  input(measured({ step: 100, backward: 40 }, {
    config: config({ distribute: { overlap: false, compress: null, ...settings } }),
    ranks,
  }));

Deno.test("larger bucket: saves a latency for each all-reduce", () => {
  const { changes, gain } = said(apply(largerBucket, distributed(ranks(5))));
  assert.deepEqual(changes, ["distribute.bucket: 800000 -> 4000000"]);
  assert.equal(gain, 100 / 92);
  assert.equal(apply(largerBucket, distributed(ranks(1))), null);
  assert.equal(apply(largerBucket, distributed(ranks(5), { overlap: true })), null);
});

Deno.test("overlap: hides transfers behind the backward pass, up to its length", () => {
  const { changes, gain } = said(apply(overlapRanks, distributed(ranks(1))));
  assert.deepEqual(changes, ["distribute.overlap: false -> true", "distribute.bucket: null -> 1000000"]);
  // Four all-reduces take 28 ms, of which 21 are hidden
  assert.equal(gain, 100 / (100 - (22 - 7)));
  assert.equal(apply(overlapRanks, distributed(ranks(1), { overlap: true })), null);
});

Deno.test("compression: halves the time that depends on the bandwidth", () => {
  const { gain } = said(apply(compressGradients, distributed(ranks(1))));
  assert.equal(gain, 100 / 90);
  assert.equal(apply(compressGradients, distributed(ranks(1), { compress: "f16" })), null);
});

Deno.test("larger local batch: spreads the all-reduce over more samples", () => {
  const { changes, gain } = said(apply(largerLocalBatch, distributed(ranks(1))));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 64"]);
  assert.equal(gain, 100 / 87);
  assert.equal(apply(largerLocalBatch, distributed(ranks(1, 1))), null);
});

Deno.test("slow rank: is named with its cause and the time that it costs", () => {
  const finding = apply(slowRank, distributed(ranks(1, 22, { rank: 1, cause: "data", excess: 20 })));
  assert.match(finding!.message, /Rank 1 on node1 .* data loading/);
  assert.equal(finding!.predicted!.gain, 100 / 80);
  assert.equal(apply(slowRank, distributed(ranks(1))), null);
});
