import type { OpRecord } from "../../result/ops.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import type { Peer } from "./peers.ts";
import { isProduct, shortestTime, upperMedian } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Tile size of kernels; a partly filled tile at an edge costs as much as a full one. */
const MULTIPLE = 8;

/**
 * Fraction of the usual share that an op reaches once its sizes are aligned, if it is far below: sizes that are not aligned
 * can also rule out the faster kernels.
 */
const REACH = 0.5;

/**
 * Largest fraction of an op's time that full tiles save. An op that is further below aligned ones has other reasons too, such
 * as images that are too large for the faster kernels.
 */
const MAX_SAVED = 0.5;

/** Names products whose sizes leave tiles partly empty and that are slower than aligned ones. */
export const align = rule("align", ["device", "ops", "peers"], ({ device, ops, parts, peers }) => {
  const products = peers.filter(({ op }) => isProduct(op));
  const straight = products.filter(({ op }) => oddSize(op) === null);
  // Aligned ops of the type; all aligned products without any
  const usualOf = ({ type }: OpRecord) => {
    const own = straight.filter(({ op }) => op.type === type);
    return upperMedian((own.length === 0 ? straight : own).map(({ share }) => share));
  };
  const odd = products.filter(({ op }) => oddSize(op) !== null)
    .map((peer) => ({ ...peer, usual: usualOf(peer.op) }))
    .filter(({ share, usual }) => share < usual)
    .map((peer) => ({ ...peer, saved: peer.time * savedShare(peer) }))
    .filter(({ saved }) => saved > 0)
    .toSorted((a, b) => b.saved - a.saved);
  if (odd.length === 0) return null;
  const saved = device * odd.reduce((sum, one) => sum + one.saved, 0) / shortestTime(ops);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: `Sizes that are not multiples of ${MULTIPLE} leave tiles partly empty in ${odd.length} products`,
    evidence: odd.slice(0, 3).map(({ op, share, usual }) => ({
      label: op.name,
      value: `size ${oddSize(op)}, ${percent(share)} of the roof; ${percent(usual)} is usual for aligned sizes`,
      where: `op:${op.id}`,
    })),
    changes: [],
    gain,
    reasoning:
      `full tiles save the work wasted at the edges, and ops far below the usual share reach half of it or save half ` +
      `of their time: ${ms(saved)} of ${ms(device)} on the device${limit}`,
  };
});

/** Returns the fraction of an op's time that full tiles save. */
function savedShare({ op, share, usual }: Pick<Peer, "op" | "share" | "usual">): number {
  return Math.max(Math.min(1 - share / usual, wasted(op)), Math.min(MAX_SAVED, 1 - share / (REACH * usual)));
}

/** Returns the channels or features of all inputs and outputs: their second sizes. */
function sizes({ inputs, outputs, shapes }: OpRecord): number[] {
  const tensors = inputs.length > 0 ? [...inputs, ...outputs].map(({ shape }) => shape) : shapes;
  return tensors.filter((shape) => shape.length > 1).map((shape) => shape[1]!);
}

/** Returns the first unaligned size. Ignores small sizes, which follow from the data (3 channels, 10 classes). */
export function oddSize(op: OpRecord): number | null {
  return sizes(op).find((size) => size > 2 * MULTIPLE && size % MULTIPLE !== 0) ?? null;
}

/** Returns the fraction of the tiles' work that lies outside the tensors. */
function wasted(op: OpRecord): number {
  const size = oddSize(op)!;
  return 1 - size / (Math.ceil(size / MULTIPLE) * MULTIPLE);
}
