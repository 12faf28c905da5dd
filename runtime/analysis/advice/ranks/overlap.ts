import { ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";
import { transferTime } from "./all_reduce.ts";

/** All-reduces of a step that overlaps; all but the last can be hidden. */
const BUCKETS = 4;

/** Proposes to overlap the transfers with the backward pass. The copy out of the device cannot be hidden. */
export const overlapRanks = rule("ranks-overlap", ["allReduce"], ({ allReduce, parts, variant }) => {
  const { ranks, network, overlap, compress, bytes, exposed } = allReduce;
  const backward = variant.metrics.backward?.value ?? 0;
  if (overlap) return null;
  const buckets = Math.max(BUCKETS, ranks.buckets.length);
  const transfers = transferTime(network, bytes, buckets);
  const hidden = Math.min(backward, transfers) * (buckets - 1) / buckets;
  const saved = exposed - (transfers - hidden);
  const { gain, limit } = shortened(parts, saved);
  const whole = compress ? 2 * bytes : bytes;
  const split = ranks.buckets.length < BUCKETS
    ? [{ path: "distribute.bucket", from: null, to: Math.ceil(whole / BUCKETS) }]
    : [];
  return {
    message: "The step waits for the network after the backward pass: start the all-reduces during it",
    evidence: [
      { label: "network, per step", value: ms(exposed), where: "ranks" },
      { label: "backward pass", value: ms(backward), where: "steps" },
    ],
    changes: [{ path: "distribute.overlap", from: false, to: true }, ...split],
    gain,
    reasoning: `${buckets} all-reduces take ${ms(transfers)} by latency and bandwidth; the backward pass hides ` +
      `${ms(hidden)} of them, but not the copies${limit}`,
  };
});
