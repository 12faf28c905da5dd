/**
 * The Pareto front of a sweep by speed, memory and loss. Two variants are compared as each is with the baseline: speeds by
 * the interval of their ratio over rounds, losses by the interval of their difference over seeds. Memory is planned, so that
 * it is exact. A variant is dominated only where the intervals say so on every objective.
 *
 * @module
 */
import type { Block, Front, Objective } from "../../result/schema.ts";
import { logSpeedups } from "./block_pairs.ts";
import { LEVEL } from "./estimate.ts";
import { estimateDifferences } from "./setups.ts";
import { studentMean } from "./student.ts";

/** A variant that competes for the front. */
export interface Candidate {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** Planned device memory in bytes; null without a model. */
  readonly memory: number | null;
  /** Final losses by seed; null without repeated trainings. */
  readonly losses: ReadonlyMap<number, number> | null;
}

/** Relation of one variant to another on an objective; `open` where the interval does not decide. */
type Relation = "better" | "worse" | "same" | "open";

const OPPOSITE: Readonly<Record<Relation, Relation>> = { better: "worse", worse: "better", same: "same", open: "open" };

/**
 * Returns which candidates are on the front; null for fewer than two.
 *
 * @param band largest difference in speed that counts as none: 0.01 for 1 %
 */
export function frontOf(candidates: readonly Candidate[], band: number): Front | null {
  if (candidates.length < 2) return null;
  const rivals = candidates.length - 1;
  const relations: Readonly<Record<Objective, (a: Candidate, b: Candidate) => Relation>> = {
    memory: ({ memory: a }, { memory: b }) => relationOf(b! - a!, b! - a!, 0),
    loss: (a, b) => lossRelation(a.losses!, b.losses!),
    speed: (a, b) => speedRelation(a.blocks, b.blocks, band, rivals),
  };
  const known: Readonly<Record<Objective, boolean>> = {
    memory: candidates.every(({ memory }) => memory !== null),
    loss: candidates.every(({ losses }) => losses !== null),
    speed: candidates.every(({ blocks }) => blocks.length > 0),
  };
  const objectives = (["speed", "memory", "loss"] as const).filter((objective) => known[objective]);
  if (objectives.length === 0) return null;
  const tables = objectives.map((objective) => pairwise(candidates, relations[objective]));
  const all = candidates.map((_, i) => i);
  const dominators = all.map((b) => all.filter((a) => a !== b && dominates(tables.map((table) => table[a]![b]!))));
  return {
    objectives,
    variants: candidates.map(({ name }, b) => {
      const by = dominators[b]!.find((a) => dominators[a]!.length === 0) ?? dominators[b]![0];
      const certain = all.every((a) => a === b || cannotDominate(tables.map((table) => table[a]![b]!)));
      return {
        name,
        status: by !== undefined ? "dominated" : certain ? "front" : "open",
        dominatedBy: by === undefined ? null : candidates[by]!.name,
        best: objectives.filter((_, o) => all.every((a) => tables[o]![a]![b] !== "better")),
      };
    }),
  };
}

/** Returns the relation of each candidate (row) to each other one (column). */
function pairwise(candidates: readonly Candidate[], relate: (a: Candidate, b: Candidate) => Relation): Relation[][] {
  const table: Relation[][] = candidates.map(() => candidates.map(() => "same"));
  for (const [i, a] of candidates.entries()) {
    for (let j = i + 1; j < candidates.length; j++) {
      const relation = relate(a, candidates[j]!);
      table[i]![j] = relation;
      table[j]![i] = OPPOSITE[relation];
    }
  }
  return table;
}

function dominates(relations: readonly Relation[]): boolean {
  return relations.every((relation) => relation === "better" || relation === "same") && relations.includes("better");
}

/** Returns true if no further measurement is expected to make the first variant dominate the second. */
function cannotDominate(relations: readonly Relation[]): boolean {
  return relations.includes("worse") || relations.every((relation) => relation === "same");
}

/** Relates speeds by the interval of the log of their ratio, as for a verdict. */
function speedRelation(a: readonly Block[], b: readonly Block[], band: number, tests: number): Relation {
  const interval = estimateDifferences(logSpeedups(a, b), { tests })?.interval;
  return interval == null ? "open" : relationOf(interval.low, interval.high, Math.log1p(band));
}

/** Relates losses by the interval of their mean difference over the seeds that both were trained with. */
function lossRelation(a: Candidate["losses"] & object, b: Candidate["losses"] & object): Relation {
  const differences = [...a].flatMap(([seed, loss]) => {
    const other = b.get(seed);
    return other === undefined ? [] : [other - loss];
  });
  if (differences.length < 2 || !differences.every(Number.isFinite)) return "open";
  const { low, high } = studentMean(differences, LEVEL).interval;
  return relationOf(low, high, 0);
}

/**
 * Relates by the interval of a difference that is positive where the first is better. Differences within `inner` count as
 * none.
 */
function relationOf(low: number, high: number, inner: number): Relation {
  if (low >= -inner && high <= inner) return "same";
  return low > inner ? "better" : high < -inner ? "worse" : "open";
}
