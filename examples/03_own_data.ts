/**
 * Custom data in memory: two spirals, which no straight line can separate. The test split provides the accuracy, which is
 * shown next to the throughput.
 *
 *     deno run -A examples/03_own_data.ts
 */
import { adam, crossEntropy, mlp, run, scenario, tensors } from "../mod.ts";

/** Returns `length` points in the plane, alternating between the spirals. */
function spirals(length: number, phase: number) {
  const input = new Float32Array(length * 2);
  const target = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const turn = ((i + phase) / length) * 3 * Math.PI;
    const side = i % 2 === 0 ? 1 : -1;
    input.set([side * turn * Math.cos(turn) / 9, side * turn * Math.sin(turn) / 9], i * 2);
    target[i] = i % 2;
  }
  // `shape` is the shape of one sample. A target without a shape is a class index.
  return { input: { shape: [2], data: input }, target: { data: target } };
}

export default scenario({
  name: "spirals",
  model: mlp({ hidden: [64, 64], classes: 2 }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 0.02 }),
  data: tensors({ ...spirals(1024, 0), test: spirals(256, 0.5) }),
  loader: { batchSize: 64 },
  epochs: 30, // whole passes over the data, instead of measure.steps
  evaluate: { every: 30 }, // loss and accuracy on the test split, outside the measured steps
  monitor: "step", // the baseline reads the loss of each step, like a loop that prints it
  measure: { skip: 4 },
  variants: {
    baseline: {},
    sink: { monitor: "block", sink: 16 },
  },
});

if (import.meta.main) await run();
