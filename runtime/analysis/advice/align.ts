import type { OpRecord } from "../../result/ops.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, shortestTime, upperMedian } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Tile size of kernels; a partly filled tile at an edge costs as much as a full one. */
const MULTIPLE = 8;

/** Names products whose sizes leave tiles partly empty and that are slower than aligned ones. */
export const align = rule("align", ["device", "ops", "peers"], ({ device, ops, parts, peers }) => {
  const products = peers.filter(({ op }) => isProduct(op));
  const straight = products.filter(({ op }) => oddSize(op) === null);
  const usual = upperMedian(straight.map(({ share }) => share));
  const odd = products.filter(({ op, share }) => oddSize(op) !== null && share < usual)
    .map((peer) => ({ ...peer, saved: peer.time * Math.min(1 - peer.share / usual, wasted(peer.op)) }))
    .filter(({ saved }) => saved > 0)
    .toSorted((a, b) => b.saved - a.saved);
  if (odd.length === 0) return null;
  const saved = device * odd.reduce((sum, one) => sum + one.saved, 0) / shortestTime(ops);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `Sizes that are not multiples of ${MULTIPLE} leave tiles partly empty in ${odd.length} products`,
    evidence: odd.slice(0, 3).map(({ op, share }) => ({
      label: op.name,
      value: `size ${oddSize(op)}, ${percent(share)} of the roof; ${percent(usual)} is usual for aligned sizes`,
      where: `op:${op.id}`,
    })),
    changes: [],
    gain,
    reasoning: `full tiles save at most the work wasted at the edges: ${ms(saved)} of ${ms(device)} on the device` +
      limit,
  };
});

/** Returns the channels or features of all inputs and outputs: their second sizes. */
function sizes({ inputs, outputs, shapes }: OpRecord): number[] {
  const tensors = inputs.length > 0 ? [...inputs, ...outputs].map(({ shape }) => shape) : shapes;
  return tensors.filter((shape) => shape.length > 1).map((shape) => shape[1]!);
}

/** Returns the first unaligned size. Ignores small sizes, which follow from the data (3 channels, 10 classes). */
function oddSize(op: OpRecord): number | null {
  return sizes(op).find((size) => size > 2 * MULTIPLE && size % MULTIPLE !== 0) ?? null;
}

/** Returns the fraction of the tiles' work that lies outside the tensors. */
function wasted(op: OpRecord): number {
  const size = oddSize(op)!;
  return 1 - size / (Math.ceil(size / MULTIPLE) * MULTIPLE);
}
