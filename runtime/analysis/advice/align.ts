import type { Finding } from "../../result/finding.ts";
import type { OpRecord } from "../../result/ops.ts";
import { ms, percent, worthwhile } from "./evidence.ts";
import { type AdviceInput, settingsOf } from "./input.ts";
import { isProduct, leastTime, middle } from "./op_times.ts";
import { peersOf } from "./peers.ts";
import { deviceTime, partsOf, shortened } from "./step_parts.ts";

/** Kernels compute tiles of so many values; fewer at an edge cost as much. */
const MULTIPLE = 8;

/** Names products whose sizes leave tiles half empty, where they are slower than others for it. */
export function align(input: AdviceInput): Finding | null {
  const { variant, peaks } = input;
  const settings = settingsOf(variant);
  const parts = settings === null ? null : partsOf(input, settings);
  const device = deviceTime(variant);
  if (settings === null || parts === null || device === null || peaks === null) return null;
  const products = peersOf(variant, peaks).filter(({ op }) => isProduct(op));
  const straight = products.filter(({ op }) => oddSize(op) === null);
  const usual = middle(straight.map(({ share }) => share));
  const odd = products.filter(({ op, share }) => oddSize(op) !== null && share < usual)
    .map((peer) => ({ ...peer, saved: peer.time * Math.min(1 - peer.share / usual, wasted(peer.op)) }))
    .filter(({ saved }) => saved > 0)
    .toSorted((a, b) => b.saved - a.saved);
  const all = leastTime(variant.ops);
  if (odd.length === 0 || all === 0) return null;
  const saved = device * odd.reduce((sum, one) => sum + one.saved, 0) / all;
  const { gain, limit } = shortened(parts, saved);
  return worthwhile({
    kind: "align",
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
  });
}

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
