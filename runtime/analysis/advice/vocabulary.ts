import type { OpRecord } from "../../result/ops.ts";
import type { Peer } from "./peers.ts";
import { type Advice, rule } from "./rule.ts";
import { ms, percent } from "./evidence.ts";
import { isProduct, opTime, shortestTime, upperMedian } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Fewest classes of a vocabulary. */
const MIN = 1024;
/** Sizes that are multiples of this fill the tiles of every kernel. */
const MULTIPLE = 64;
/** Minimum fraction of the device time for products of the vocabulary to be reported. */
const SHARE = 0.25;

/** Proposes to pad a vocabulary that leaves tiles partly empty, and names one whose products take much of the step. */
export const vocabulary = rule("vocabulary", ["device", "ops"], ({ device, ops, parts, peers }) => {
  const classes = classesOf(ops);
  if (classes < MIN) return null;
  const own = ops.filter((op) => op.precision === "loss" || (isProduct(op) && touches(op, classes)));
  const all = opTime(ops);
  const evidence = [{
    label: `ops of the vocabulary of ${classes}`,
    value: `${ms(opTime(own))} of ${ms(all)}`,
    where: own[0] === undefined ? "ops" : `op:${own[0].id}`,
  }];
  const advice = (saved: number, message: string, reasoning: string, more: Advice["evidence"] = []): Advice => {
    const { gain, limit } = shortened(parts, saved);
    return {
      message,
      evidence: [...evidence, ...more],
      changes: [],
      gain,
      reasoning: `${reasoning}: ${ms(saved)} of the ${ms(device)} that a step takes on the device${limit}`,
    };
  };
  if (classes % MULTIPLE !== 0) {
    const { lost, share, usual } = lostAtEdges(peers ?? [], classes);
    if (lost === 0) return null;
    const padded = Math.ceil(classes / MULTIPLE) * MULTIPLE;
    return advice(
      device * lost / shortestTime(ops),
      `Products with the vocabulary of ${classes} are slower than others: pad it to ${padded}, a multiple of ${MULTIPLE}`,
      "at the usual share of the roof, they save",
      [{
        label: "share of the roof",
        value: `${percent(share)}, of other products ${percent(usual)}`,
        where: "roofline",
      }],
    );
  }
  if (opTime(own) < SHARE * all) return null;
  return advice(
    device * opTime(own) / all / 2,
    `Products and losses over the vocabulary of ${classes} take ${percent(opTime(own) / all)} of the device time`,
    "half of the vocabulary saves, if the text does not become longer by it",
  );
});

/** Returns the number of classes that the loss tells apart; 0 without classes. */
function classesOf(ops: readonly OpRecord[]): number {
  const scores = ops.filter(({ precision, phase }) => precision === "loss" && phase === "forward");
  return Math.max(0, ...scores.map(({ inputs }) => inputs[0]?.shape.at(-1) ?? 0));
}

function touches({ inputs, outputs }: OpRecord, size: number): boolean {
  return [...inputs, ...outputs].some(({ shape }) => shape.includes(size));
}

/** Returns the time that products of a size take longer than at the usual share of other products: ms. */
function lostAtEdges(peers: readonly Peer[], size: number): { lost: number; share: number; usual: number } {
  const products = peers.filter(({ op }) => isProduct(op));
  const own = products.filter(({ op }) => touches(op, size));
  const usual = upperMedian(products.filter(({ op }) => !touches(op, size)).map(({ share }) => share));
  const lost = own.reduce((sum, { time, share }) => sum + time * Math.max(0, 1 - share / (usual || share)), 0);
  return { lost, share: upperMedian(own.map(({ share }) => share)), usual };
}
