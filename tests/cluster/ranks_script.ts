/** A training whose variants run on one rank and on all ranks. */
import { conv2d, crossEntropy, flatten, linear, relu, run, scenario, sequential, sgd, tensors, z } from "../../mod.ts";

const SAMPLES = 96;
const input = Float32Array.from({ length: SAMPLES * 64 }, (_, i) => Math.sin(i * 12.9898));

export default scenario({
  name: "ranks",
  params: { kind: z.enum(["mlp", "conv"]).default("mlp") },
  model: ({ kind }) =>
    kind === "mlp"
      ? sequential(flatten(), linear(32), relu(), linear(4))
      : sequential(conv2d(4, { kernel: 3 }), relu(), flatten(), linear(4)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: tensors({
    input: { shape: [1, 8, 8], data: input },
    target: { data: Int32Array.from({ length: SAMPLES }, (_, i) => i % 4) },
    classes: 4,
  }),
  loader: { batchSize: 16 },
  measure: { steps: 5, skip: 2, maxSkip: 2, rounds: 4, aa: false, setups: 1 },
  variants: { one: {}, ranks: { distribute: { bucket: 1024 } } },
});

if (import.meta.main) await run();
