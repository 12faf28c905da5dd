import type { OpRecord } from "../../result/ops.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, leastTime, middle } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Kernels compute tiles of so many values; fewer at an edge cost as much. */
const MULTIPLE = 8;

/** Names products whose sizes leave tiles half empty, where they are slower than others for it. */
export const align = rule("align", ["device", "ops", "peers"], ({ device, ops, parts, peers }) => {
  const products = peers.filter(({ op }) => isProduct(op));
  const straight = products.filter(({ op }) => oddSize(op) === null);
  const usual = middle(straight.map(({ share }) => share));
  const odd = products.filter(({ op, share }) => oddSize(op) !== null && share < usual)
    .map((peer) => ({ ...peer, saved: peer.time * Math.min(1 - peer.share / usual, wasted(peer.op)) }))
    .filter(({ saved }) => saved > 0)
    .toSorted((a, b) => b.saved - a.saved);
  if (odd.length === 0) return null;
  const saved = device * odd.reduce((sum, one) => sum + one.saved, 0) / leastTime(ops);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `Sizes that are no multiples of ${MULTIPLE} leave tiles half empty in ${odd.length} products`,
    evidence: odd.slice(0, 3).map(({ op, share }) => ({
      label: op.name,
      value: `size ${oddSize(op)}, ${percent(share)} of the roof; ${percent(usual)} is usual for even sizes`,
      where: `op:${op.id}`,
    })),
    changes: [],
    gain,
    reasoning: `with full tiles they lose at most what their edges waste: ${ms(saved)} of ${ms(device)} on the device` +
      limit,
  };
});

/** Channels or features: the second size of what comes in and goes out. The first input and the last layer are given. */
function sizes({ inputs, outputs, shapes }: OpRecord): number[] {
  const tensors = inputs.length > 0 ? [...inputs, ...outputs].map(({ shape }) => shape) : shapes;
  return tensors.filter((shape) => shape.length > 1).map((shape) => shape[1]!);
}

/** Small sizes are the data's (3 channels, 10 classes), not a choice. */
function oddSize(op: OpRecord): number | null {
  return sizes(op).find((size) => size > 2 * MULTIPLE && size % MULTIPLE !== 0) ?? null;
}

/** The part of the tiles' work that is outside of the tensors. */
function wasted(op: OpRecord): number {
  const size = oddSize(op)!;
  return 1 - size / (Math.ceil(size / MULTIPLE) * MULTIPLE);
}
