import { digits, ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { shortened } from "../step_parts.ts";

/** Proposes to exchange gradients in f16, where the bandwidth of the network limits the step. */
export const compressGradients = rule("ranks-compress", ["allReduce"], ({ allReduce, parts }) => {
  const { network: { bandwidth }, compress, bytes, exposed } = allReduce;
  if (compress) return null;
  const saved = Math.min(exposed / 2, bytes / 2 / bandwidth);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: "The bandwidth of the network limits the step: exchange gradients in f16 (this rounds them to 11 bits)",
    evidence: [
      { label: "network, per step", value: ms(exposed), where: "ranks" },
      { label: "bandwidth", value: `${digits(bandwidth / 1000)} MB/s`, where: "network" },
    ],
    changes: [{ path: "distribute.compress", from: null, to: "f16" }],
    gain,
    reasoning: `half of ${digits(bytes / 2 ** 20)} MiB less at ${digits(bandwidth / 1000)} MB/s saves ${
      ms(saved)
    }${limit}`,
  };
});
