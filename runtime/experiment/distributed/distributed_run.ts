import { rankBlockOf, type RanksOfBlock } from "../../analysis/ranks.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { ClusterError } from "../../core/errors.ts";
import { type DataSpec, prepareDataset } from "../../data/sources/sources.ts";
import { type Command, onAllRanks } from "./ranks.ts";
import type { RankBlock } from "../../result/ranks.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { Span, Timeline } from "../../record/timeline.ts";
import type { ArmRecord, OnProgress } from "../arm.ts";
import { gatherTimelines } from "./rank_trace.ts";
import { VariantRun } from "../variant/run.ts";

/** A distributed variant on rank 0. The other ranks prepare it and run its steps at the same time. */
export class DistributedRun extends VariantRun {
  readonly #cluster: Cluster;
  readonly #index: number;
  #timelines: readonly Timeline[] = [];

  /** @param index position of the arm, the same on all ranks */
  constructor(index: number, cluster: Cluster, ...run: ConstructorParameters<typeof VariantRun>) {
    super(...run);
    this.#cluster = cluster;
    this.#index = index;
  }

  override prepare(firstStep: number, onKernel?: OnProgress, onFill?: OnProgress): Promise<void> {
    return this.#together(
      { do: "prepare", arm: this.#index, firstStep },
      () => super.prepare(firstStep, onKernel, onFill),
    );
  }

  override warmUp(steps: number, onStep?: (done: number) => void): ReturnType<VariantRun["warmUp"]> {
    return this.#together({ do: "warm up", arm: this.#index, steps }, () => super.warmUp(steps, onStep));
  }

  override async block(...block: Parameters<VariantRun["block"]>): ReturnType<VariantRun["block"]> {
    const [place, steps, options] = block;
    // Steps that use up earlier batches depend on this rank's loader, so they would not match those of other ranks
    const kept = await this.#together(
      { do: "measure", arm: this.#index, place, steps },
      () => super.block(place, steps, { ...options, drain: false }),
    );
    const ranks = await gatherBlock(this.#cluster, kept);
    if (kept === null || ranks === null) return kept;
    this.addRanks(ranks);
    return { ...kept, host: { ...kept.host, ranks: { ranks: [...ranks.ranks], buckets: [...ranks.buckets] } } };
  }

  /** Profiles steps of this rank alone, then records some of all ranks for the trace. */
  override async profile(onStep: OnProgress): Promise<void> {
    await super.profile(onStep);
    if (!this.running) return;
    const spans = await this.#together({ do: "trace", arm: this.#index }, () => this.traceRank());
    this.#timelines = await gatherTimelines(this.#cluster, this.name, spans);
  }

  override record(clock: ClockFit | null): ArmRecord {
    return { ...super.record(clock), rankTimelines: this.#timelines };
  }

  async #together<T>(command: Command, work: () => Promise<T>): Promise<T> {
    await this.#cluster.broadcast(JSON.stringify(command));
    return await onAllRanks(this.#cluster, work);
  }
}

/** Collects the records of a block from all ranks; null if a rank has none. */
async function gatherBlock(
  cluster: Cluster,
  kept: Awaited<ReturnType<VariantRun["block"]>>,
): Promise<RanksOfBlock | null> {
  const own = kept === null ? null : rankBlockOf(kept.block);
  const ranks = (await cluster.gather(JSON.stringify(own))).map((text) => JSON.parse(text) as RankBlock | null);
  const buckets = kept?.host.ranks?.buckets;
  const all = ranks.filter((rank) => rank !== null);
  return buckets === undefined || all.length < ranks.length ? null : { ranks: all, buckets };
}

/**
 * Runs the commands of rank 0 on another rank until it ends the work.
 *
 * @param data data set of each arm
 */
export async function follow(
  cluster: Cluster,
  arms: readonly VariantRun[],
  data: readonly DataSpec[],
): Promise<void> {
  while (true) {
    const command = JSON.parse(await cluster.receive()) as Command;
    if (command.do === "end") return;
    const arm = arms[command.arm]!;
    let spans: Span[] | null = null;
    let kept: Awaited<ReturnType<VariantRun["block"]>> = null;
    await onAllRanks(cluster, async () => {
      if (arm.failure !== null) throw arm.failure;
      if (command.do === "prepare") {
        await prepareDataset(data[command.arm]!); // rank 0 has created it for its host
        arm.reserve();
        await arm.prepare(command.firstStep);
      } else if (command.do === "warm up") await arm.warmUp(command.steps);
      else if (command.do === "trace") spans = await arm.traceRank();
      else kept = await arm.block(command.place, command.steps, { drain: false, onStep: () => {} });
    }).then(async () => {
      if (command.do === "measure") await gatherBlock(cluster, kept);
      if (command.do === "trace") await gatherTimelines(cluster, arm.name, spans);
    }).catch((error) => {
      if (error instanceof ClusterError) throw error;
      arm.fail(error);
    });
  }
}
