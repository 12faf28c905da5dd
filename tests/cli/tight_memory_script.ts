import { crossEntropy, linear, run, scenario, sequential, sgd, softmax, tensors } from "../../mod.ts";

const SAMPLES = 1024;
const FEATURES = 8;

/** Four kernels that take little but their launch, and that do not fuse. */
const block = () => sequential(softmax(), softmax(), softmax(), softmax());

/** A training whose activations leave no room for a micro-batch twice as large, unless they are computed again. */
scenario({
  name: "tight-memory",
  model: sequential({ stem: linear(FEATURES), h: sequential(...Array.from({ length: 6 }, block)), out: linear(2) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: tensors({
    input: { shape: [FEATURES], data: Float32Array.from({ length: SAMPLES * FEATURES }, (_, i) => Math.sin(i)) },
    target: { data: Int32Array.from({ length: SAMPLES }, (_, i) => i % 2) },
    classes: 2,
  }),
  loader: { batchSize: 64 },
  accumulate: 4,
  memoryBudget: "220KiB",
  measure: { steps: 2, skip: 1, maxSkip: 2, rounds: 6, opRounds: 1, aa: false },
});

if (import.meta.main) await run();
