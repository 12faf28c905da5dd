import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { ShardPlace } from "../store/shard_run.ts";
import type { Division } from "./assign.ts";
import type { SweepPlan } from "./sweep_plan.ts";

/** A shard's part of a scenario. */
export interface ShardScenario {
  readonly scenario: ResolvedScenario;
  readonly place: ShardPlace;
}

/**
 * Returns the part of a scenario that a shard runs: its variants and the baseline.
 *
 * @param shard number of the shard, from 1
 */
export function selectShard(
  scenario: ResolvedScenario,
  { sweep, shards }: SweepPlan,
  { shard, replicate }: { readonly shard: number } & Pick<Division, "replicate">,
): ShardScenario {
  const names = new Set([scenario.baseline, ...shards[shard - 1]!.variants]);
  const positions = scenario.variants.flatMap(({ name }, i) => names.has(name) ? [i] : []);
  return {
    scenario: { ...scenario, variants: positions.map((i) => scenario.variants[i]!) },
    place: {
      shard,
      of: shards.length,
      replicate,
      sweep,
      total: scenario.variants.length,
      positions,
      rounds: scenario.epochs ?? scenario.measure.rounds,
    },
  };
}
