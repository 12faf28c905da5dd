import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, shortestTime, upperMedian } from "./op_times.ts";
import { MIN_PEERS } from "./peers.ts";
import { shortened } from "./step_parts.ts";

/** Minimum fraction of the device time for an op to be reported. */
const SHARE = 0.1;

/** Fraction of the reachable share below which an op is slow. */
const FAR = 0.5;

/** Names the op that takes much of the device time and is far below its reachable speed. */
export const slowOp = rule("slow-op", ["device", "ops", "peers"], ({ device, ops, parts, peers, settings }) => {
  const all = shortestTime(ops);
  // An op without similar ones is compared with all ops, and expected to reach half of their share
  const typical = upperMedian(peers.map(({ share }) => share)) / 2;
  const found = peers.flatMap((peer) => {
    const reach = Math.min(1, peer.count >= MIN_PEERS ? peer.usual : typical);
    return peer.time >= SHARE * all && peer.share < FAR * reach ? [{ ...peer, reach }] : [];
  }).toSorted((a, b) => b.time * (1 - b.share / b.reach) - a.time * (1 - a.share / a.reach))[0];
  if (found === undefined) return null;
  const { op, time, share, reach, count } = found;
  const saved = device * time * (1 - share / reach) / all;
  const tunable = settings.compile.autotune === null && isProduct(op) && count >= MIN_PEERS;
  const { gain, limit } = shortened(parts, saved);
  return {
    severity: "warning",
    message: `${op.name} takes ${percent(time / all)} of the device time at ${percent(share)} of its roof`,
    evidence: [
      { label: op.name, value: `${ms(time)} of ${ms(all)} in the shortest calls, ${op.kernel}`, where: `op:${op.id}` },
      {
        label: "usual share of the roof",
        value: `${percent(reach)}, ${count >= MIN_PEERS ? `similar ${op.type}` : "half of the median of all ops"}`,
        where: "roofline",
      },
    ],
    changes: tunable ? [{ path: "compile.autotune", from: null, to: true }] : [],
    gain,
    reasoning: `at ${
      count >= MIN_PEERS ? "the share of similar ops" : "half of the median share of all ops"
    }, it saves ${ms(saved)} of the ${ms(device)} that a step takes on the device${limit}`,
  };
});
