/**
 * Runs of a scenario on the ranks that a launcher such as `mpirun` has started. Only rank 0 prints and keeps results.
 *
 * @module
 */
import { type Cluster, hasJoined, joinCluster } from "../cluster/cluster.ts";
import { ClusterError, ExitStatus, TachoError } from "../core/errors.ts";
import { describeScript } from "../library/script.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { exitStatusOf, messageOf } from "./failure.ts";
import type { Flags } from "./flags.ts";
import { leaveSignals } from "./leave_signals.ts";

type Experiment = Pick<typeof import("../experiment/run_experiment.ts"), "followExperiment">;

/** Work of rank 0, and the experiment that other ranks follow. */
interface RankWork {
  readonly load: () => Promise<Experiment>;
  /** Measures on rank 0; null if this process is the only rank. */
  readonly lead: (cluster: Cluster | null) => Promise<number>;
}

/** Runs a distributed scenario on this rank, and returns its exit status. */
export async function performOnRanks(
  scenario: ResolvedScenario,
  flags: Pick<Flags, "adapter" | "shareDevice">,
  { load, lead }: RankWork,
): Promise<number> {
  const cluster = await joinCluster();
  if (cluster === null) return await lead(null);
  if (cluster.rank > 0) return await follow(cluster, scenario, flags, load);
  try {
    return await lead(cluster);
  } catch (error) {
    if (!cluster.left && cluster.failure === null) await report(cluster, error);
    throw error;
  }
}

async function follow(
  cluster: Cluster,
  scenario: ResolvedScenario,
  flags: Pick<Flags, "adapter" | "shareDevice">,
  load: () => Promise<Experiment>,
): Promise<number> {
  const { followExperiment } = await load();
  const restore = leaveSignals();
  try {
    await followExperiment(scenario, {
      ...(flags.adapter === undefined ? {} : { adapter: flags.adapter }),
      shareDevice: flags.shareDevice === true,
      interrupted: () => false,
      profile: null,
      script: await describeScript(),
      cluster,
    });
    return ExitStatus.ok;
  } catch (error) {
    // Rank 0 has received all other errors and prints them
    const known = error instanceof ClusterError
      ? cluster.lost !== null && cluster.lost > 0
      : error instanceof TachoError;
    if (known) return exitStatusOf(error);
    throw error;
  } finally {
    restore();
  }
}

/**
 * Reports an error to the other ranks if they wait for this one to start to work. Otherwise a launcher could leave them
 * waiting.
 *
 * @returns true if rank 0 prints this error or its own
 */
export async function isReportedByRank0(error: unknown): Promise<boolean> {
  if (hasJoined()) return false;
  try {
    const cluster = await joinCluster();
    if (cluster === null) return false;
    await report(cluster, error);
    return cluster.rank > 0;
  } catch {
    return false; // the others have ended, or are no ranks of a distributed training
  }
}

/** Takes part in the first operation of all ranks, which reports whether each can start. */
async function report(cluster: Cluster, error: unknown): Promise<void> {
  await cluster.gather(messageOf(error));
  await cluster.leave();
}
