/**
 * Runs of several ranks: rank 0 measures, and the others run the same steps of distributed variants on its commands.
 *
 * @module
 */
import type { Cluster } from "../cluster/cluster.ts";
import { ExitStatus, InputError, TachoError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import { describeConfig } from "../scenario/describe.ts";
import type { Config } from "../scenario/config.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { BlockPlace } from "./arm.ts";

/** A step of the work that all ranks do together. `arm` is its index. */
export type Command =
  | { readonly do: "prepare"; readonly arm: number; readonly firstStep: number }
  | { readonly do: "warm up"; readonly arm: number; readonly steps: number }
  | { readonly do: "measure"; readonly arm: number; readonly steps: number; readonly place: BlockPlace }
  | { readonly do: "trace"; readonly arm: number }
  | { readonly do: "end" };

/** Ends the work of the other ranks. */
export const END: Command = { do: "end" };

/** Returns true if a variant trains on several ranks. */
export function isDistributed({ variants }: Pick<ResolvedScenario, "variants">): boolean {
  return variants.some(({ config }) => config.distribute !== null);
}

/** Returns the settings of one rank, whose batch is an equal part of the global one. */
export function rankConfig(config: Config, ranks: number): Config {
  if (config.distribute === null) return config;
  return { ...config, loader: { ...config.loader, batchSize: config.loader.batchSize / ranks } };
}

/** @throws {InputError} if the batch cannot be divided equally */
export function checkRankBatch({ distribute, loader: { batchSize } }: Config, ranks: number): void {
  if (distribute !== null && batchSize % ranks !== 0) {
    throw new InputError(
      `loader.batchSize is ${batchSize}, but with distribute each of the ${ranks} ranks needs an equal part; ` +
        `expected a multiple of ${ranks}`,
    );
  }
}

/** Runs work on every rank, and reports a failure of one to all. */
export async function onAllRanks<T>(cluster: Cluster, work: () => Promise<T>): Promise<T> {
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: await work() };
  } catch (error) {
    outcome = { error };
  }
  const own = "error" in outcome ? messageOf(outcome.error) : "";
  const messages = await cluster.gather(own);
  if ("error" in outcome) throw outcome.error;
  const failed = messages.findIndex((message) => message !== "");
  if (failed >= 0) throw new TachoError(`${cluster.nameOf(failed)}: ${messages[failed]}`, ExitStatus.badInput);
  return outcome.value;
}

/** Properties that must be equal on all ranks, by name. */
export type RankFacts = Readonly<Record<string, string>>;

/** Returns the facts of this rank. */
export function rankFacts(
  { name, seed, variants }: ResolvedScenario,
  { version, script, device }: { version: string; script: string | null; device: Device | null },
): RankFacts {
  const settings = variants.flatMap(({ name, config }) =>
    Object.entries(describeConfig(config)).map(([key, value]) => [`${name}: ${key}`, JSON.stringify(value)])
  );
  return {
    "Tacho's version": version,
    "the script's SHA-256": script ?? "unknown",
    "the scenario": name,
    seed: String(seed),
    "the adapter": device?.info.name ?? "none",
    ...Object.fromEntries(settings),
  };
}

/**
 * Compares the facts of all ranks.
 *
 * @throws {InputError} naming every rank that differs from rank 0, on all ranks
 */
export async function checkRanks(cluster: Cluster, facts: RankFacts): Promise<void> {
  const all = (await cluster.gather(JSON.stringify(facts))).map((text) => JSON.parse(text) as RankFacts);
  const [first, ...others] = all as [RankFacts, ...RankFacts[]];
  const wrong = others.flatMap((other, i) =>
    Object.keys({ ...first, ...other }).filter((name) => other[name] !== first[name]).map((name) =>
      `${cluster.nameOf(i + 1)}: ${name} is ${other[name]}, but ${first[name]} on ${cluster.nameOf(0)}`
    )
  );
  if (wrong.length > 0) {
    throw new InputError(`The ranks do not run the same training; start all of them alike:\n  ${wrong.join("\n  ")}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
