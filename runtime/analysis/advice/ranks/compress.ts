import { digits, ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";
import { transferTime } from "./all_reduce.ts";

/** Proposes to exchange gradients in f16, where the bandwidth of the network limits the step. */
export const compressGradients = rule("ranks-compress", ["allReduce"], ({ allReduce, parts }) => {
  const { network, ranks: { buckets }, compress, overlap, bytes, exposed } = allReduce;
  if (compress) return null;
  const { latency, bandwidth, compressed = 2 * bandwidth } = network;
  const [now, then] = [
    transferTime(network, bytes, buckets.length),
    transferTime(network, bytes, buckets.length, true),
  ];
  const saved = overlap ? Math.min(exposed, now - then) : exposed - then;
  const { gain, limit } = shortened(parts, saved);
  return {
    message: "The bandwidth of the network limits the step: exchange gradients in f16 (this rounds them to 11 bits)",
    evidence: [
      { label: "network, per step", value: ms(exposed), where: "ranks" },
      { label: "latency of an operation", value: ms(latency), where: "network" },
      { label: "gradients in f32", value: `${digits(bandwidth / 1000)} MB/s`, where: "network" },
      { label: "gradients in f16, with conversions", value: `${digits(compressed / 1000)} MB/s`, where: "network" },
    ],
    changes: [{ path: "distribute.compress", from: null, to: "f16" }],
    gain,
    reasoning:
      `${digits(bytes / 2 ** 20)} MiB of gradients take ${ms(then)} instead of ${
        ms(overlap ? now : exposed)
      }, with two operations ` +
      `instead of one for each bucket${limit}`,
  };
});
