import { ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";

/** Proposes one all-reduce instead of several, where nothing overlaps and each pays the latency. */
export const largerBucket = rule("ranks-bucket", ["allReduce"], ({ allReduce, parts }) => {
  const { ranks: { buckets }, network: { latency }, overlap, bytes, compress, exposed } = allReduce;
  if (overlap || buckets.length < 2) return null;
  const saved = Math.min(exposed, (buckets.length - 1) * latency);
  const { gain, limit } = shortened(parts, saved);
  const whole = compress ? 2 * bytes : bytes;
  return {
    message: `Gradients are averaged in ${buckets.length} all-reduces: use one`,
    evidence: [
      { label: "latency of an all-reduce", value: ms(latency), where: "network" },
      { label: "network, per step", value: ms(exposed), where: "ranks" },
    ],
    changes: [{ path: "distribute.bucket", from: Math.max(...buckets.map((bucket) => bucket.bytes)), to: whole }],
    gain,
    reasoning: `${buckets.length - 1} latencies of ${ms(latency)} less in a step of ${ms(parts.step)}${limit}`,
  };
});
