import { ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";
import { overheadOf } from "./all_reduce.ts";

/** Proposes one all-reduce instead of several, where nothing overlaps and each takes time of its own. */
export const largerBucket = rule("ranks-bucket", ["allReduce"], ({ allReduce, parts }) => {
  const { ranks: { buckets }, network, overlap, bytes, compress, exposed } = allReduce;
  if (overlap || buckets.length < 2) return null;
  // Compressed all-reduces follow each other, with two operations each; others are started together
  const each = compress ? 2 * network.latency : overheadOf(network);
  const saved = Math.min(exposed, (buckets.length - 1) * each);
  const largest = Math.max(...buckets.map((bucket) => bucket.bytes));
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `Gradients are averaged in ${buckets.length} all-reduces: use one`,
    evidence: [
      { label: "time of each further all-reduce", value: ms(each), where: "network" },
      { label: "network, per step", value: ms(exposed), where: "ranks" },
    ],
    changes: [{ path: "distribute.bucket", from: (compress ? 2 : 1) * largest, to: bytes }],
    gain,
    reasoning: `${buckets.length - 1} times ${ms(each)} less in a step of ${ms(parts.step)}${limit}`,
  };
});
