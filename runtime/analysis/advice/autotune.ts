import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, leastTime } from "./op_times.ts";
import { ENOUGH } from "./peers.ts";
import { shortened } from "./step_parts.ts";

/** Of what is usual; half of all ops are below that, most of them by chance. */
const FAR = 0.75;

/** Chooses kernels by timing them where some reach much less than others like them. */
export const autotune = rule("autotune", ["device", "ops", "peers"], ({ device, ops, parts, peers, settings }) => {
  if (settings.compile.autotune !== null) return null;
  const slow = peers
    .filter(({ op, share, usual, count }) => isProduct(op) && count >= ENOUGH && share < FAR * usual)
    .toSorted((a, b) => (b.time - b.possible) - (a.time - a.possible));
  if (slow.length === 0) return null;
  const saved = device * slow.reduce((sum, { time, possible }) => sum + time - possible, 0) / leastTime(ops);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: slow.length === 1
      ? "A product reaches less of its roof than others like it: choose kernels by timing them"
      : `${slow.length} products reach less of their roof than others like them: choose kernels by timing them`,
    evidence: slow.slice(0, 3).map(({ op, share, usual }) => ({
      label: op.name,
      value: `${percent(share)} of the roof, ${percent(usual)} is usual for ${op.type} like it`,
      where: `op:${op.id}`,
    })),
    changes: [{ path: "compile.autotune", from: null, to: true }],
    gain,
    reasoning: `with a kernel that suits its shape each reaches what is usual for its like: ${ms(saved)} of ` +
      `${ms(device)} on the device${limit}`,
  };
});
