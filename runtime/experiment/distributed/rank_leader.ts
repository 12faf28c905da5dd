import { rankBlockOf, type RanksOfBlock } from "../../analysis/ranks.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { ClusterError } from "../../core/errors.ts";
import { type DataSpec, prepareDataset } from "../../data/sources/sources.ts";
import type { Span, Timeline } from "../../record/timeline.ts";
import type { RankBlock } from "../../result/ranks.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { Arm, BlockPlace } from "../arm.ts";
import type { LocalSteps } from "../variant/local_steps.ts";
import { gatherTimelines } from "./rank_trace.ts";
import { type Command, onAllRanks, type StepCommand } from "./ranks.ts";

/** Commands of rank 0 to the other ranks, which prepare a distributed variant and run its steps at the same time. */
export class RankLeader {
  readonly #cluster: Cluster;
  readonly #index: number;

  /** @param index position of the arm, the same on all ranks */
  constructor(cluster: Cluster, index: number) {
    this.#cluster = cluster;
    this.#index = index;
  }

  /** Runs work while the other ranks run a command. */
  async together<T>(command: StepCommand, work: () => Promise<T>): Promise<T> {
    await this.#cluster.broadcast(JSON.stringify({ arm: this.#index, ...command } satisfies Command));
    return await onAllRanks(this.#cluster, work);
  }

  /** Measures a block on all ranks. */
  async block(
    steps: LocalSteps,
    place: BlockPlace,
    count: number,
    onStep: (done: number) => void,
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    // Steps that use up earlier batches depend on this rank's loader, so they would not match those of other ranks
    const kept = await this.together(
      { do: "measure", place, steps: count },
      () => steps.block(place, count, { drain: false, onStep }),
    );
    const ranks = await gatherBlock(this.#cluster, kept);
    if (kept === null || ranks === null) return kept;
    steps.record.addRanks(ranks);
    return { ...kept, host: { ...kept.host, ranks: { ranks: [...ranks.ranks], buckets: [...ranks.buckets] } } };
  }

  /** Records steps of all ranks on one time axis. */
  async trace(steps: LocalSteps): Promise<Timeline[]> {
    const spans = await this.together({ do: "trace" }, () => steps.trace());
    return await gatherTimelines(this.#cluster, steps.variant.name, spans);
  }
}

/** Collects the records of a block from all ranks; null if a rank has none. */
async function gatherBlock(cluster: Cluster, kept: Omit<KeptBlock, "arm"> | null): Promise<RanksOfBlock | null> {
  const own = kept === null ? null : rankBlockOf(kept.block);
  const ranks = (await cluster.gather(JSON.stringify(own))).map((text) => JSON.parse(text) as RankBlock | null);
  const buckets = kept?.host.ranks?.buckets;
  const all = ranks.filter((rank) => rank !== null);
  return buckets === undefined || all.length < ranks.length ? null : { ranks: all, buckets };
}

/**
 * Runs the commands of rank 0 on another rank until it ends the work.
 *
 * @param arms arms with their steps on this rank
 * @param data data set of each arm
 */
export async function follow(
  cluster: Cluster,
  arms: readonly (Pick<Arm, "name" | "failure" | "fail"> & { readonly local: LocalSteps })[],
  data: readonly DataSpec[],
): Promise<void> {
  while (true) {
    const command = JSON.parse(await cluster.receive()) as Command;
    if (command.do === "end") return;
    const arm = arms[command.arm]!;
    const { local } = arm;
    let spans: Span[] | null = null;
    let kept: Omit<KeptBlock, "arm"> | null = null;
    await onAllRanks(cluster, async () => {
      if (arm.failure !== null) throw arm.failure;
      if (command.do === "prepare") {
        await prepareDataset(data[command.arm]!); // rank 0 has created it for its host
        local.reserve();
        await local.prepare(command.firstStep);
      } else if (command.do === "warm up") await local.warmUp(command.steps);
      else if (command.do === "trace") spans = await local.trace();
      else kept = await local.block(command.place, command.steps, { drain: false, onStep: () => {} });
    }).then(async () => {
      if (command.do === "measure") await gatherBlock(cluster, kept);
      if (command.do === "trace") await gatherTimelines(cluster, arm.name, spans);
    }).catch((error) => {
      if (error instanceof ClusterError) throw error;
      arm.fail(error);
    });
  }
}
