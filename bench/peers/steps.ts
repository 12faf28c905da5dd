import { cpuUsage } from "node:process";
import { type Measured, readSteps } from "./workload.ts";

/**
 * Trains and prints the JSON of {@linkcode Measured}: the first steps one by one, the others without a wait between them.
 *
 * @param dispatch runs step `i` and returns its loss on the device
 * @param read returns a loss
 */
export async function measureSteps<L>(
  library: string,
  dispatch: (i: number) => L,
  read: (loss: L) => Promise<number>,
): Promise<never> {
  const { steps, skip } = readSteps(Deno.args);
  const started = performance.now();
  const losses = [await read(dispatch(0))];
  const firstStep = performance.now() - started;
  for (let i = 1; i < skip; i++) losses.push(await read(dispatch(i)));
  const used = cpuUsage();
  const start = performance.now();
  const pending: L[] = [];
  for (let i = skip; i < skip + steps; i++) pending.push(dispatch(i));
  for (const loss of pending) losses.push(await read(loss));
  const wall = performance.now() - start;
  const { user, system } = cpuUsage(used);
  const processor = (user + system) / 1000 / steps;
  const measured: Measured = { library, step: wall / steps, processor, firstStep, losses };
  console.log(JSON.stringify(measured));
  Deno.exit(0);
}
