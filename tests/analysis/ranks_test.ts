/** Records of the ranks of a distributed training. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ranksOf, workOf } from "../../runtime/analysis/ranks.ts";
import { allReduceParts } from "../../runtime/record/all_reduce.ts";
import type { RankBlock } from "../../runtime/result/ranks.ts";

const places = [0, 1, 2].map((rank) => ({ rank, host: "node", adapter: "GPU", device: String(rank) }));

/** A rank with a step of 100 ms: 60 ms of device, 10 of copies, 10 of network; the others wait for a slow one. */
function block(
  { reader = 1, backward = 40, wait = 19 }: { reader?: number; backward?: number; wait?: number },
): RankBlock {
  return {
    ...{ steps: 5, batchCost: 100, readerCost: reader, iterationGap: 2, forward: 20, backward, update: 1 },
    allReduce: { copyOut: 8, wait, network: 10, copyIn: 2, hidden: 0 },
  };
}

Deno.test("parts of an all-reduce add up, and transfers before the end of the backward pass are hidden", () => {
  const parts = allReduceParts({
    ...{ backwardDone: 100, copiedOut: 112, end: 160, copyIn: 5 },
    transfers: [{ ready: 80, done: 95 }, { ready: 90, done: 105 }, { ready: 120, done: 150 }],
  });
  deepStrictEqual(parts, { copyOut: 12, wait: 8, network: 35, copyIn: 5, hidden: 20 });
});

Deno.test("a wait that ends before the copy out is none", () => {
  const transfers = [{ ready: 10, done: 30 }];
  deepStrictEqual(allReduceParts({ backwardDone: 20, copiedOut: 25, end: 32, copyIn: 1, transfers }), {
    ...{ copyOut: 5, wait: 0, network: 6, copyIn: 1, hidden: 10 },
  });
});

Deno.test("the straggler is named with the part that it takes longer for", () => {
  const of = (slow: RankBlock) => ranksOf([{ ranks: [block({}), block({}), slow], buckets: [] }], places, null)!;
  deepStrictEqual(of(block({ reader: 20, wait: 0 })).straggler, { rank: 2, cause: "data", excess: 19 });
  deepStrictEqual(of(block({ backward: 59, wait: 0 })).straggler, { rank: 2, cause: "device", excess: 19 });
  deepStrictEqual(of(block({ wait: 0 })).straggler, { rank: 2, cause: "host", excess: 19 });
  strictEqual(of(block({})).straggler, null);
});

Deno.test("blocks are combined by their steps, and buckets add up", () => {
  const [a, b] = [block({}), { ...block({}), steps: 15, batchCost: 200 }];
  const bucket = { bytes: 8, parameters: 1, calls: 5, total: 10 };
  const both = ranksOf(
    [{ ranks: [a, a, a], buckets: [bucket] }, { ranks: [b, b, b], buckets: [bucket] }],
    places,
    { latency: 1, bandwidth: 1 },
  )!;
  strictEqual(both.ranks[0]!.batchCost, 175);
  strictEqual(workOf(both.ranks[0]!), 146);
  deepStrictEqual(both.buckets, [{ bytes: 8, parameters: 1, calls: 10, total: 20 }]);
  strictEqual(both.notHidden, 1);
});
