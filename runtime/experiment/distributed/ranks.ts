/**
 * Runs of several ranks: rank 0 measures, and the others run the same steps of distributed variants on its commands.
 *
 * @module
 */
import { reasonOf } from "../../core/shown.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { OtherRankError } from "../../cluster/gradient_exchange.ts";
import { ExitStatus, InputError, TachoError } from "../../core/errors.ts";
import type { Config } from "../../scenario/config.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { BlockPlace } from "../arm.ts";

/** Work of an arm that all ranks do together. */
export type StepCommand =
  | { readonly do: "prepare"; readonly firstStep: number }
  | { readonly do: "warm up"; readonly steps: number }
  | { readonly do: "measure"; readonly steps: number; readonly place: BlockPlace }
  | { readonly do: "trace" };

/** A step of the work that all ranks do together. `arm` is its index. */
export type Command = (StepCommand & { readonly arm: number }) | { readonly do: "end" };

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
  // The cause of an error that another rank has reported comes from that rank
  const cause = "error" in outcome && !(outcome.error instanceof OtherRankError) ? outcome : null;
  const messages = await cluster.gather(cause === null ? "" : reasonOf(cause.error) || "an error without a message");
  if (cause !== null) throw cause.error;
  const failed = messages.findIndex((message) => message !== "");
  if (failed >= 0) throw new TachoError(`${cluster.nameOf(failed)}: ${messages[failed]}`, ExitStatus.badInput);
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}
