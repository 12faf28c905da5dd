/**
 * A sweep: every combination of values is a variant. Which batch size is fastest, and does a sink help each of them?
 *
 *     deno run -A examples/04_sweep.ts
 *     deno run -A examples/04_sweep.ts --list                                # the combinations
 *     deno run -A examples/04_sweep.ts loader.batchSize=8,64 sink=0,4,8      # other values from the command line
 *     deno run -A examples/04_sweep.ts --json - | jq '.variants[].metrics.ips'
 */
import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from "../mod.ts";

export default scenario({
  name: "sweep",
  model: mlp({ hidden: [128], classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 28, width: 28, classes: 10, length: 2000 }),
  measure: { steps: 8, skip: 2, rounds: 8 },
  // Paths are written as on the command line. The last axis changes fastest. Keys under `zip` change together, as one axis:
  // { zip: { amp: ["O0", "O2"], sink: [0, 8] } }
  sweep: { "loader.batchSize": [16, 128], sink: [0, 8] },
});

if (import.meta.main) await run();
