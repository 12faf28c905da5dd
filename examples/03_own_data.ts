/**
 * Data of one's own that is in memory: two spirals, which no straight line can tell apart. The test split gives the
 * accuracy that stands beside the speed.
 *
 *     deno run -A examples/03_own_data.ts
 */
import { adam, crossEntropy, mlp, run, scenario, tensors } from "../mod.ts";

/** `length` points in the plane, in turns from the one spiral and the other. */
function spirals(length: number, phase: number) {
  const input = new Float32Array(length * 2);
  const target = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const turn = ((i + phase) / length) * 3 * Math.PI;
    const side = i % 2 === 0 ? 1 : -1;
    input.set([side * turn * Math.cos(turn) / 9, side * turn * Math.sin(turn) / 9], i * 2);
    target[i] = i % 2;
  }
  // `shape` is that of one sample; a target is a class index unless it has a shape of its own.
  return { input: { shape: [2], data: input }, target: { data: target } };
}

export default scenario({
  name: "spirals",
  model: mlp({ hidden: [64, 64], classes: 2 }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 0.02 }),
  data: tensors({ ...spirals(1024, 0), test: spirals(256, 0.5) }),
  loader: { batchSize: 64 },
  epochs: 30, // whole passes over the data, in place of measure.steps
  evaluate: { every: 30 }, // loss and accuracy on the test split, outside of the measured steps
  measure: { skip: 4, rounds: 1 },
  variants: {
    baseline: {},
    sink: { sink: 16 },
  },
});

if (import.meta.main) await run();
