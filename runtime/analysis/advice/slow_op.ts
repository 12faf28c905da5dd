import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, leastTime, middle } from "./op_times.ts";
import { ENOUGH } from "./peers.ts";
import { shortened } from "./step_parts.ts";

/** A part of the device's time from which one op is worth a word. */
const SHARE = 0.1;

/** Far below the roof, and below what others reach. */
const FAR = 0.5;

/** Names a single op that takes much of the device's time and is far from what it could reach. */
export const slowOp = rule("slow-op", ["device", "ops", "peers"], ({ device, ops, parts, peers, settings }) => {
  const all = leastTime(ops);
  // One of a kind is held against all ops, and not expected to reach more than half of what these do
  const typical = middle(peers.map(({ share }) => share)) / 2;
  const found = peers.flatMap((peer) => {
    const reach = Math.min(1, peer.count >= ENOUGH ? peer.usual : typical);
    return peer.time >= SHARE * all && peer.share < FAR * reach ? [{ ...peer, reach }] : [];
  }).toSorted((a, b) => b.time * (1 - b.share / b.reach) - a.time * (1 - a.share / a.reach))[0];
  if (found === undefined) return null;
  const { op, time, share, reach, count } = found;
  const saved = device * time * (1 - share / reach) / all;
  const tunable = settings.compile.autotune === null && isProduct(op) && count >= ENOUGH;
  const { gain, limit } = shortened(parts, saved);
  return {
    severity: "warning",
    message: `${op.name} takes ${percent(time / all)} of the device's time at ${percent(share)} of its roof`,
    evidence: [
      { label: op.name, value: `${ms(time)} of ${ms(all)} at the shortest, ${op.kernel}`, where: `op:${op.id}` },
      {
        label: "usual share of the roof",
        value: `${percent(reach)}, ${count >= ENOUGH ? `${op.type} like it` : "half of the middle of all ops"}`,
        where: "roofline",
      },
    ],
    changes: tunable ? [{ path: "compile.autotune", from: null, to: true }] : [],
    gain,
    reasoning: `at ${
      count >= ENOUGH ? "the share that others like it reach" : "half of the share that most ops reach"
    } it saves ${ms(saved)} of the ${ms(device)} that the device takes for a step${limit}`,
  };
});
