/**
 * One process of a library: some steps one by one, then a block of steps without a wait between them.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { readSteps } from "./workload.ts";

/** JSON that a training prints on its last line. */
export interface Trained {
  /** Losses of all steps, the ones before the block included. */
  readonly losses: readonly number[];
  /** Wall time of a step of the block in ms, from its batch in host memory to the losses of the block on the host. */
  readonly wall: number;
  /** Processor time of a step over all threads, in ms. */
  readonly cpu: number;
}

/** Measures a block of `steps` steps that `run` returns the losses of. */
export async function timeBlock(
  steps: number,
  run: () => Promise<readonly number[]>,
): Promise<Omit<Trained, "losses"> & { readonly block: readonly number[] }> {
  const [begin, usage] = [performance.now(), cpuUsage()];
  const block = await run();
  const wall = performance.now() - begin;
  const { user, system } = cpuUsage(usage);
  return { block, wall: wall / steps, cpu: (user + system) / 1000 / steps };
}

/**
 * Trains as `--skip` and `--steps` say, prints a {@linkcode Trained} and ends the process.
 *
 * @param dispatch runs step `i` and returns its loss on the device
 * @param read returns a loss
 */
export async function trainSteps<L>(dispatch: (i: number) => L, read: (loss: L) => Promise<number>): Promise<never> {
  const { steps, skip } = readSteps(Deno.args);
  const first: number[] = [];
  for (let i = 0; i < skip; i++) first.push(await read(dispatch(i)));
  const { block, ...times } = await timeBlock(steps, async () => {
    const pending = Array.from({ length: steps }, (_, i) => dispatch(skip + i));
    const losses: number[] = [];
    for (const loss of pending) losses.push(await read(loss));
    return losses;
  });
  report({ losses: [...first, ...block], ...times });
}

export function report(trained: Trained): never {
  console.log(JSON.stringify(trained));
  Deno.exit(0);
}
