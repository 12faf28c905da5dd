import type { Cluster } from "../cluster/cluster.ts";
import { howToStartRanks } from "../cluster/launcher.ts";
import { ClusterError, InputError } from "../core/errors.ts";
import { loadDatasets } from "../data/sources/sources.ts";
import { Device } from "../device/device.ts";
import { environment } from "../device/environment.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { TACHO_VERSION } from "./environment.ts";
import { Experiment } from "./experiment.ts";
import type { ExperimentOptions } from "./options.ts";
import { checkRanks, rankFacts } from "./distributed/rank_facts.ts";
import { checkPlans } from "./distributed/rank_plans.ts";
import { END, isDistributed, onAllRanks } from "./distributed/ranks.ts";
import { keepAdapter } from "./start/resume.ts";
import { checkDevices, teamFacts } from "./distributed/team.ts";

export { dryRun } from "./dry_run.ts";

export type { ExperimentOptions } from "./options.ts";

/**
 * Runs the variants of a scenario: prepares all of them, warms each up, and measures their blocks interleaved in rounds. A
 * failed variant does not end the others.
 *
 * @throws {InputError} if no variant can run, or the variants do not fit in memory together
 * @throws {DeviceError} if there is no adapter
 */
export async function runExperiment(scenario: ResolvedScenario, options: ExperimentOptions): Promise<Result> {
  const { cluster = null } = options;
  if (cluster === null && isDistributed(scenario)) {
    throw new InputError(`distribute: this process is the only rank; ${howToStartRanks()}, or set distribute to false`);
  }
  return await withExperiment(scenario, options, async (experiment) => {
    try {
      return await experiment.run();
    } finally {
      if (cluster?.failure === null) await cluster.broadcast(JSON.stringify(END));
    }
  });
}

/**
 * Runs a scenario on a rank other than 0, which measures nothing and ends with rank 0.
 *
 * @throws {TachoError} if the rank differs from rank 0, or another rank stops
 */
export async function followExperiment(
  scenario: ResolvedScenario,
  options: ExperimentOptions & { readonly cluster: Cluster },
): Promise<void> {
  await withExperiment(scenario, options, (experiment) => experiment.follow(options.cluster));
}

async function withExperiment<T>(
  scenario: ResolvedScenario,
  options: ExperimentOptions,
  work: (experiment: Experiment) => Promise<T>,
): Promise<T> {
  const needsDevice = scenario.variants.some(({ config }) => config.model !== null);
  const { cluster = null } = options;
  const together = <R>(task: () => Promise<R>) => cluster === null ? task() : onAllRanks(cluster, task);
  if (cluster !== null) {
    cluster.begun = true;
    limitThreads(cluster);
  }
  const open = () => Device.open({ match: options.adapter });
  let device: Device | null = null;
  try {
    await together(() => loadDatasets(scenario.variants.map(({ config }) => config.data)));
    device = needsDevice ? await together(open) : null;
    if (device !== null) {
      const { info } = device;
      await together(() => Promise.resolve(keepAdapter(options, info)));
    }
    if (cluster !== null) {
      const { script, modules } = options;
      await checkRanks(
        cluster,
        await together(() => rankFacts(scenario, { version: TACHO_VERSION, script, modules, device })),
      );
    }
    const team = cluster === null ? null : await teamFacts(cluster, device?.info ?? null);
    if (team !== null) checkDevices(team.places, device?.info.fallback === true || options.shareDevice === true);
    const experiment = await together(() => Promise.resolve(new Experiment(scenario, options, device, team)));
    if (cluster !== null) await checkPlans(cluster, experiment.planned);
    return await work(experiment);
  } catch (error) {
    if (error instanceof ClusterError) cluster?.abandon(); // MPI would wait for ranks that may be gone
    throw error;
  } finally {
    device?.destroy();
  }
}

/** Divides the cores of a host among its ranks on software adapters, unless `LP_NUM_THREADS` is set. */
function limitThreads(cluster: Cluster): void {
  if (environment("LP_NUM_THREADS") !== null) return;
  Deno.env.set("LP_NUM_THREADS", String(Math.max(1, Math.floor(navigator.hardwareConcurrency / cluster.ranksHere))));
}
