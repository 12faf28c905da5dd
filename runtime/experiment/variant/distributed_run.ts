import type { Cluster } from "../../cluster/cluster.ts";
import type { FedBlock } from "../../feed/feed.ts";
import { type Command, onAllRanks } from "../ranks.ts";
import type { OnProgress } from "../arm.ts";
import { VariantRun } from "./run.ts";

/** A distributed variant on rank 0. The other ranks prepare it and run its steps at the same time. */
export class DistributedRun extends VariantRun {
  readonly #cluster: Cluster;
  readonly #index: number;

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

  override warmUp(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    return this.#together({ do: "warm up", arm: this.#index, steps }, () => super.warmUp(steps, onStep));
  }

  override block(...block: Parameters<VariantRun["block"]>): ReturnType<VariantRun["block"]> {
    const [place, steps, options] = block;
    // Steps that use up earlier batches depend on this rank's loader, so they would not match those of other ranks
    return this.#together(
      { do: "warm up", arm: this.#index, steps },
      () => super.block(place, steps, { ...options, drain: false }),
    );
  }

  async #together<T>(command: Command, work: () => Promise<T>): Promise<T> {
    await this.#cluster.broadcast(JSON.stringify(command));
    return await onAllRanks(this.#cluster, work);
  }
}

/** Runs the commands of rank 0 on another rank until it ends the work. */
export async function follow(cluster: Cluster, arms: readonly VariantRun[]): Promise<void> {
  while (true) {
    const command = JSON.parse(await cluster.receive()) as Command;
    if (command.do === "end") return;
    const arm = arms[command.arm]!;
    await onAllRanks(cluster, async () => {
      if (arm.failure !== null) throw arm.failure;
      if (command.do === "prepare") {
        arm.reserve();
        await arm.prepare(command.firstStep);
      } else await arm.warmUp(command.steps);
    }).catch((error) => arm.fail(error));
  }
}
