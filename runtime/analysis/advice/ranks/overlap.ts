import { ms } from "../evidence.ts";
import { rule } from "../rule.ts";
import { fixedCost } from "../fixed_cost.ts";
import { shortened } from "../step_parts.ts";
import { type MeasuredAllReduce, transferTime } from "./all_reduce.ts";

/** Numbers of all-reduces to choose from. */
const COUNTS = [2, 4, 8, 16];

/** A step whose transfers overlap with the backward pass: ms. */
interface Overlapped {
  readonly buckets: number;
  readonly transfers: number;
  readonly hidden: number;
  /** Time that the step still takes for it: transfers that are not hidden, and waits between parts of the backward pass. */
  readonly cost: number;
}

/** Proposes to overlap the transfers with the backward pass. The copy out of the device cannot be hidden. */
export const overlapRanks = rule("ranks-overlap", ["allReduce"], (context) => {
  const { allReduce, parts, variant } = context;
  const { ranks, overlap, bytes, exposed } = allReduce;
  if (overlap) return null;
  const backward = variant.metrics.backward?.value ?? 0;
  // Between two parts of the backward pass, the device waits for the host as it does between two steps, and for the copy
  // out unless the next part takes longer
  const { host } = fixedCost(context);
  const current = ranks.buckets.length;
  const choices = [...current < 2 ? [] : [current], ...COUNTS.filter((count) => count > current)];
  const [first, ...others] = choices.map((count) => overlapped(allReduce, count, { backward, host }));
  const best = others.reduce((a, b) => b.cost < a.cost ? b : a, first!);
  const saved = exposed - best.cost;
  const { gain, limit } = shortened(parts, saved);
  const split = best.buckets === current
    ? []
    : [{ path: "distribute.bucket", from: null, to: Math.ceil(bytes / best.buckets) }];
  return {
    message: "The step waits for the network after the backward pass: start the all-reduces during it",
    evidence: [
      { label: "network, per step", value: ms(exposed), where: "ranks" },
      { label: "backward pass", value: ms(backward), where: "steps" },
      { label: "copy out", value: ms(allReduce.copyOut), where: "ranks" },
      { label: "host's part of a step", value: ms(host), where: "steps" },
    ],
    changes: [{ path: "distribute.overlap", from: false, to: true }, ...split],
    gain,
    reasoning:
      `${best.buckets} all-reduces take ${ms(best.transfers)}; the backward pass hides ${ms(best.hidden)} of ` +
      `them, but waits ${best.buckets - 1} times for the host and the copy out${limit}`,
  };
});

/** Predicts a step with some number of all-reduces. All but the last can be hidden, once the first gradients are ready. */
function overlapped(
  { network, bytes, compress, copyOut }: MeasuredAllReduce,
  buckets: number,
  { backward, host }: { readonly backward: number; readonly host: number },
): Overlapped {
  const transfers = transferTime(network, bytes, buckets, compress);
  const hidden = Math.min(backward, transfers) * (buckets - 1) / buckets;
  const wait = host + Math.max(0, copyOut - backward / buckets);
  return { buckets, transfers, hidden, cost: transfers - hidden + (buckets - 1) * wait };
}
