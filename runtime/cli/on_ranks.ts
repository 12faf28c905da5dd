/**
 * Runs of a scenario on the ranks that a launcher such as `mpirun` has started. Only rank 0 prints and keeps results.
 *
 * @module
 */
import { onInterrupt } from "../experiment/interrupts/signals.ts";
import { setTimeout } from "node:timers/promises";
import { type Cluster, hasJoined, joinCluster, joinedCluster } from "../cluster/cluster.ts";
import { launcherOf } from "../cluster/launcher.ts";
import { ClusterError, ExitStatus, TachoError } from "../core/errors.ts";
import { modulesOfScript } from "../library/retention.ts";
import { describeScript } from "../library/script.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { exitStatusOf, messageOf } from "./failure.ts";
import type { Flags } from "./flags.ts";

/** Time for another rank to print the message that both have, in ms. Launchers end all ranks once the first has failed. */
const PRINT_MS = 5000;

/** Listener for signals on a rank that leaves them to rank 0. */
let signals: Disposable | null = null;

/** Returns a warning if a launcher has started several copies of a scenario that does not use them; null on the others. */
export function copiesWarning(launcher = launcherOf()): string | null {
  if (launcher === null || launcher.rank > 0 || launcher.size === null || launcher.size < 2) return null;
  return `${launcher.name} has started ${launcher.size} copies of this run, each of which trains alone and slows the ` +
    "others down; pass distribute=true to train on all ranks together";
}

/** Returns a line for each host with its ranks and their processes: MPICH names a rank that was killed by its process alone. */
export function processLines({ hosts, pids }: Pick<Cluster, "hosts" | "pids">): string[] {
  const byHost = Map.groupBy(pids.keys(), (rank) => hosts[rank]!);
  return [...byHost].map(([host, ranks]) =>
    `${ranks.length === 1 ? "rank" : "ranks"} ${ranks.join(", ")} on ${host}: ${
      ranks.length === 1 ? "process" : "processes"
    } ${ranks.map((rank) => pids[rank]).join(", ")}`
  );
}

/** Runs a distributed scenario on a rank other than 0, and returns its exit status. */
export async function followRank0(
  cluster: Cluster,
  scenario: ResolvedScenario,
  flags: Pick<Flags, "adapter" | "shareDevice">,
  load: () => Promise<Pick<Experiment, "followExperiment">>,
): Promise<number> {
  const { followExperiment } = await load();
  signals = leaveSignals();
  try {
    await followExperiment(scenario, {
      adapter: flags.adapter,
      shareDevice: flags.shareDevice === true,
      interrupted: () => false,
      profile: null,
      script: describeScript(),
      modules: () => modulesOfScript(scenario),
      cluster,
    });
    return ExitStatus.ok;
  } catch (error) {
    const { lost, rank } = cluster;
    if (lost === null) {
      if (error instanceof ClusterError || !(error instanceof TachoError)) throw error;
      return exitStatusOf(error); // rank 0 has received the error and prints it
    }
    if (lost > 0 || rank > 1) await setTimeout(PRINT_MS);
    if (lost === 0) throw error;
    return exitStatusOf(error); // rank 0 prints it
  }
}

/** Reports an error of rank 0 to ranks that wait for it to start to work. */
export async function tellRanks(cluster: Cluster | null, error: unknown): Promise<void> {
  if (cluster?.begun === false && cluster.failure === null) await cluster.gather(messageOf(error));
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
    // The first operation of all ranks reports whether each can start
    await cluster.gather(messageOf(error));
    return cluster.rank > 0;
  } catch {
    return false; // the others have ended, or are no ranks of a distributed training
  }
}

/**
 * Leaves the other ranks, which waits for all of them. A rank does so after it has printed: as soon as one ends with an
 * error, launchers end the others.
 *
 * @throws {ClusterError} if another rank is lost before that
 */
export async function leaveRanks(): Promise<void> {
  const cluster = await joinedCluster();
  if (cluster === null || cluster.left) return;
  try {
    await cluster.leave();
  } catch (error) {
    cluster.abandon();
    if (cluster.rank > 0) await setTimeout(PRINT_MS);
    throw error;
  } finally {
    signals?.[Symbol.dispose]();
  }
}

/**
 * Lets rank 0 decide about interrupts: launchers send them to all ranks, but only rank 0 prints and keeps results, and it
 * ends the others. A second signal ends this process.
 *
 * @returns a listener; disposing of it restores the default effect
 */
function leaveSignals(): Disposable {
  let received = 0;
  return onInterrupt(() => {
    if (++received > 1) Deno.exit(ExitStatus.interrupted);
  });
}

/** The part of Tacho that the command line drives; tests replace it. */
export type Experiment = Pick<
  typeof import("../experiment/run_experiment.ts"),
  "runExperiment" | "followExperiment" | "dryRun"
>;
