/**
 * `--shard`: runs a part of the variants and keeps it in a file.
 *
 * @module
 */
import { resolve } from "node:path";
import { InputError } from "../core/errors.ts";
import { reasonOf } from "../core/shown.ts";
import { TACHO_VERSION } from "../experiment/environment.ts";
import { checkDivision } from "../shards/plan/assign.ts";
import { isDistributed } from "../experiment/distributed/ranks.ts";
import { checkPlan, planSweep, selectShard, type SweepPlan } from "../shards/plan/sweep_plan.ts";
import { type Keeping, specOf } from "../library/retention.ts";
import { describeScript } from "../library/script.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { storeFolder } from "../store/folder.ts";
import { openStoreToRead } from "../store/store.ts";
import type { Flags } from "./flags.ts";
import { shardNumber, type ShardRequest } from "./shard_flags.ts";

/** Earlier runs whose times the plan uses. */
const EARLIER_RUNS = 5;

/** A shard to run. */
export interface Shard {
  readonly plan: SweepPlan;
  readonly scenario: ResolvedScenario;
  readonly keeping: NonNullable<Keeping["shard"]>;
}

/**
 * Returns the shard that the command line asks for, without dividing the variants; null for none.
 *
 * @throws {InputError} if the flags contradict each other, or the variants cannot be divided so
 */
function checkedShard(scenario: ResolvedScenario, flags: Flags): ShardRequest | null {
  const { shard: request, replicate = 1 } = flags;
  if (request === undefined) {
    if (flags.replicate !== undefined) throw new InputError("--replicate: needs --shard");
    if (flags.shardDir !== undefined) throw new InputError("--shard-dir: needs --shard");
    return null;
  }
  if (flags.tune === true) throw new InputError("--shard: cannot divide --tune, which runs one variant");
  if (scenario.programs.length > 0) {
    throw new InputError("--shard: cannot divide programs; leave them out with --exclude");
  }
  if (isDistributed(scenario)) {
    throw new InputError("--shard: cannot be combined with distribute; set distribute to false");
  }
  if (flags.gate !== undefined) throw new InputError("--gate: a shard has a part of the variants; gate the merged run");
  if (flags.resume !== undefined) throw new InputError("--resume: a shard resumes from its file; omit --resume");
  checkDivision(scenario.variants.length - 1, { shards: request.of, replicate });
  return request;
}

/**
 * Checks a shard without planning or running it. The plan of its folder is checked where the settings do not depend on the
 * adapter, which may be another one on this machine.
 *
 * @throws {InputError} if it cannot run so
 */
export async function checkShard(scenario: ResolvedScenario, flags: Flags): Promise<void> {
  const request = checkedShard(scenario, flags);
  if (request === null || scenario.adapted !== null) return;
  const { replicate = 1, shardDir = "." } = flags;
  const spec = { tacho: TACHO_VERSION, ...specOf(scenario, describeScript()) };
  await checkPlan({ scenario, spec, shards: request.of, replicate }, resolve(shardDir));
}

/**
 * Returns the shard that the command line asks for, or null.
 *
 * @throws {InputError} if the flags contradict each other, or the variants cannot be divided so
 */
export async function shardOf(scenario: ResolvedScenario, flags: Flags): Promise<Shard | null> {
  const request = checkedShard(scenario, flags);
  if (request === null) return null;
  const { replicate = 1, shardDir = "." } = flags;
  const number = flags.dryRun && request.shard === null ? 1 : shardNumber(request, (name) => Deno.env.get(name));
  const folder = resolve(shardDir);
  if (!flags.dryRun) makeFolder(folder);
  const spec = { tacho: TACHO_VERSION, ...specOf(scenario, describeScript()) };
  const earlier = () => earlierResults(scenario.name, flags.store);
  const sweep = { scenario, spec, shards: request.of, replicate, earlier };
  const plan = await planSweep(sweep, folder, !flags.dryRun);
  const selected = selectShard(scenario, plan, { shard: number, replicate });
  return { plan, scenario: selected.scenario, keeping: { place: selected.place, folder } };
}

/** Returns the results of the latest runs of a scenario; none without a readable store. */
function* earlierResults(scenario: string, named: string | boolean | undefined): Iterable<Result> {
  if (named === false) return;
  try {
    using store = openStoreToRead(storeFolder(typeof named === "string" ? named : undefined));
    if (store === null) return;
    for (const { id } of store.find({ scenario, status: "complete", limit: EARLIER_RUNS })) {
      const result = store.result(id);
      if (result !== null) yield result;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error; // costs then come from the plans alone
  }
}

function makeFolder(folder: string): void {
  try {
    Deno.mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new InputError(`--shard-dir: ${folder} cannot be made (${reasonOf(error)}); choose a writable folder`, {
      cause: error,
    });
  }
}
