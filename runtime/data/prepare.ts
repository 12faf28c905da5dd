import type { DataSpec } from "./schema.ts";
import { type PrepareOptions, prepareStandIn } from "./standin/prepare.ts";

/**
 * Does what a data set needs once before it is read: draws the stand-in for CIFAR-10 where no folder is given.
 *
 * @throws {InputError} if the cache folder cannot be written
 * @throws {InterruptedError} if the signal says so
 */
export async function prepareDataset(
  spec: DataSpec,
  options: Pick<PrepareOptions, "onProgress" | "signal"> = {},
): Promise<void> {
  if (spec.kind === "cifar10" && spec.dir === null) await prepareStandIn(options);
}
