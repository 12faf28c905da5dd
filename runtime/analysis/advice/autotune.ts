import { oddSize } from "./align.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, shortestTime } from "./op_times.ts";
import { MIN_PEERS } from "./peers.ts";
import { shortened } from "./step_parts.ts";

/** Fraction of the usual share below which an op is slow. Half of all ops are below the usual share itself by chance. */
const FAR = 0.75;

/** Proposes autotuning if some products reach a much smaller share of the roof than similar ones. */
export const autotune = rule("autotune", ["device", "ops", "peers"], ({ device, ops, parts, peers, settings }) => {
  if (settings.compile.autotune !== null) return null;
  const slow = peers
    // No kernel suits sizes that are not aligned; the rule `align` is about those
    .filter(({ op, share, usual, count }) =>
      isProduct(op) && oddSize(op) === null && count >= MIN_PEERS && share < FAR * usual
    )
    .toSorted((a, b) => (b.time - b.possible) - (a.time - a.possible));
  if (slow.length === 0) return null;
  const saved = device * slow.reduce((sum, { time, possible }) => sum + time - possible, 0) / shortestTime(ops);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: slow.length === 1
      ? "A product reaches a smaller share of its roof than similar ones: choose kernels by timing them"
      : `${slow.length} products reach a smaller share of their roof than similar ones: choose kernels by timing them`,
    evidence: slow.slice(0, 3).map(({ op, share, usual }) => ({
      label: op.name,
      value: `${percent(share)} of the roof; ${percent(usual)} is usual for a similar ${op.type}`,
      where: `op:${op.id}`,
    })),
    changes: [{ path: "compile.autotune", from: null, to: true }],
    gain,
    reasoning:
      `with a kernel that suits its shape, each reaches the usual share: ${ms(saved)} of ${ms(device)} on the device` +
      limit,
  };
});
