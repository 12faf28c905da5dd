/**
 * Effect of kernel tuning: a residual network with the adapter's default kernels and with the fastest ones. Kernels are
 * timed during the warm-up steps, so training starts immediately and becomes faster. A second run reads the times from the
 * cache. `--verbosity 2` lists the candidates of each op.
 *
 *     deno run -A scripts/autotune.ts --verbosity 2
 *     deno run -A scripts/autotune.ts net=lenet loader.batchSize=64
 */
import { cifar10, crossEntropy, lenet, resnet, run, scenario, sgd, transforms as t, z } from "../mod.ts";

export default scenario({
  name: "autotune",
  params: { net: z.enum(["resnet20", "lenet"]).default("resnet20").describe("network to train") },
  model: ({ net }) => net === "lenet" ? lenet({ classes: 10 }) : resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05, momentum: 0.9 }),
  data: cifar10({ transforms: [t.normalize("cifar10")] }),
  loader: { batchSize: 32 },
  measure: { steps: 4, skip: 2, rounds: 8 },
  variants: {
    defaults: {},
    tuned: { compile: { autotune: true } },
  },
});

if (import.meta.main) await run();
