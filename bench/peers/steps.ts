import { readSteps } from "./workload.ts";

/**
 * Trains until the process is ended: the first steps one by one, the others in blocks without a wait between them, whose
 * losses are read at the end. Marks the steps, and reports the losses of the first steps and of the last in each block.
 * With `--blocks N`, it prints these losses with all their digits, and returns after N blocks.
 *
 * @param dispatch runs step `i` and returns its loss on the device
 * @param read returns a loss
 */
export async function trainSteps<L>(dispatch: (i: number) => L, read: (loss: L) => Promise<number>): Promise<void> {
  const { steps, skip, blocks } = readSteps(Deno.args);
  const end = (loss: number) => {
    performance.mark("step", { detail: { loss } });
    if (blocks < Infinity) console.log(loss);
  };
  for (let i = 0; i < skip; i++) end(await read(dispatch(i)));
  for (let i = skip; i < skip + blocks * steps; i += steps) {
    const pending: L[] = [];
    for (let j = 0; j < steps; j++) {
      if (j > 0) performance.mark("step");
      pending.push(dispatch(i + j));
    }
    let loss = NaN;
    for (const one of pending) loss = await read(one);
    end(loss);
  }
}
