import { run, scenario, tensors } from "../../mod.ts";

/** A loader whose reads sleep, so that a cache and workers help regardless of the machine's load. */
export default scenario({
  name: "slow-loader",
  data: tensors({
    input: { shape: [4], data: new Float32Array(256) },
    target: { shape: [], data: new Int32Array(64) },
    classes: 2,
    delay: { read: 5 },
  }),
  loader: { batchSize: 8, numWorkers: 1 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 8, aa: false },
  variants: { slow: {}, other: { loader: { prefetch: 3 } } },
});

if (import.meta.main) await run();
