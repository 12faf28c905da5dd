import {
  estimateOnNode,
  floorOnNode,
  judgeMerged,
  type NodeEstimate,
} from "../../runtime/analysis/comparison/merge.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { drawMatrix } from "./experiments.ts";
import type { Machine } from "./machines.ts";
import { percent, table } from "./markdown.ts";

/** Default of a scenario. */
const MIN_EFFECT = 0.01;

/** Standard deviation of what differs between nodes. */
const OFFSET = 0.05;

const ROUNDS = 8;

/** Variants of a sweep, besides the baseline. */
const VARIANTS = 12;

/** Numbers of nodes that each run every variant. */
const REPLICATES = [1, 2, 3, 6];

/** A simulated sweep over nodes. */
interface Sweep {
  readonly machine: Machine;
  readonly replicate: number;
  /** Standard deviation of the speed of a node, which all its arms share. */
  readonly speeds: number;
  /** Standard deviation over nodes of the speed-up of a variant. */
  readonly effects: number;
  /** True speed-up of the first variant, minus 1. */
  readonly effect: number;
}

/** Outcome of simulated sweeps, as fractions. */
interface MergedRates {
  /** Sweeps in which a variant without an effect is called faster or slower. */
  readonly called: number;
  /** Intervals of all variants that contain the true effect. */
  readonly covered: number;
  /** Sweeps in which the first variant is called faster. */
  readonly faster: number;
}

/** Judges simulated sweeps with the code that merges real shards. */
function mergedRates({ machine, replicate, speeds, effects, effect }: Sweep, sweeps: number): MergedRates {
  let [called, covered, faster] = [0, 0, 0];
  for (let seed = 0; seed < sweeps; seed++) {
    const random = new RandomStream(seed, replicate, 77);
    const variants: NodeEstimate[][] = Array.from({ length: VARIANTS }, () => []);
    for (let copy = 0; copy < replicate; copy++) {
      // A node for each variant and copy: its speed and its effect on the speed-up
      for (let i = 0; i < VARIANTS; i++) {
        const truth = i === 0 ? effect : 0;
        const onNode = Math.expm1(Math.log1p(truth) + effects * random.normal());
        variants[i]!.push(estimateOf(machine, onNode, speeds * random.normal(), random.below(2 ** 31)));
      }
    }
    const judged = judgeMerged(variants, MIN_EFFECT);
    if (judged.some(({ verdict }, i) => (i > 0 || effect === 0) && verdict !== "same" && verdict !== "unclear")) {
      called++;
    }
    if (judged[0]!.verdict === "faster") faster++;
    for (const [i, { comparison: { speedup: { low, high } } }] of judged.entries()) {
      const truth = 1 + (i === 0 ? effect : 0);
      if (low !== null && high !== null && low <= truth && truth <= high) covered++;
    }
  }
  return { called: called / sweeps, covered: covered / sweeps / VARIANTS, faster: faster / sweeps };
}

/** Returns the estimate of a variant on a node, from blocks whose times the node's speed scales. */
function estimateOf(machine: Machine, effect: number, speed: number, seed: number): NodeEstimate {
  const input = { machine, rounds: ROUNDS, effects: [effect], minEffect: MIN_EFFECT, controlArm: true };
  const { arms, controlArm } = drawMatrix(input, seed);
  const scaled = (blocks: typeof arms[number]["blocks"]) =>
    blocks.map((block) => ({ ...block, wall: block.wall * Math.exp(speed) }));
  const [baseline, variant] = arms.map(({ blocks }) => scaled(blocks));
  const estimated = estimateOnNode(variant!, baseline!, VARIANTS)!;
  return { ...estimated, floor: floorOnNode(scaled(controlArm!), baseline!), quality: null, unequal: null };
}

/** Returns a table of merged sweeps, and the largest rate of false verdicts where the nodes' effects are part of the model. */
export function nodeTable(machines: readonly Machine[], sweeps: number): { text: string; worst: number } {
  let worst = 0;
  const rows = machines.flatMap((machine) =>
    REPLICATES.map((replicate) => {
      const rate = (effects: number, effect: number, count = sweeps) =>
        mergedRates({ machine, replicate, speeds: OFFSET, effects, effect }, count);
      const [speeds, found] = [rate(0, 0), rate(0, 0.1, Math.ceil(sweeps / 4))];
      worst = Math.max(worst, speeds.called);
      // With one node, the spread of the effect between nodes cannot be seen
      const effects = replicate === 1 ? null : rate(OFFSET, 0);
      worst = Math.max(worst, effects?.called ?? 0);
      return [
        machine.name,
        String(replicate),
        `${percent(speeds.called)} / ${percent(speeds.covered)}`,
        percent(found.faster),
        effects === null ? "–" : `${percent(effects.called)} / ${percent(effects.covered)}`,
      ];
    })
  );
  const head = [
    "machine",
    "nodes of a variant",
    "speeds differ: false / coverage",
    "power at 10 %",
    "effects differ: false / coverage",
  ];
  const text =
    `Merged sweeps of ${VARIANTS} variants, ${ROUNDS} rounds, nodes that differ by ${percent(OFFSET)} % (σ) in their ` +
    "speed, and in a last column also in the effects: sweeps of equals with a variant called faster or slower / " +
    `coverage of all intervals, in %, ${sweeps} sweeps each, and a quarter for power.\n\n${table(head, rows)}`;
  return { text, worst };
}
