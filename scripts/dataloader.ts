/**
 * Throughput of the data loader alone, by workers, prefetch depth, fusion, and the way batches are passed on.
 *
 *     deno run -A scripts/dataloader.ts                                    # the stand-in for CIFAR-10
 *     deno run -A scripts/dataloader.ts --data cifar-10-batches-bin        # the real data set
 *     deno run -A scripts/dataloader.ts loader.numWorkers=0,1,2,4,auto loader.prefetch=1,4
 */
import { cifar10, run, scenario, transforms as t } from "../mod.ts";

export default scenario({
  name: "dataloader",
  data: cifar10({ transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")] }),
  loader: { batchSize: 64, numWorkers: 0, prefetch: 4 },
  measure: { steps: 100, skip: 50, maxSkip: 100, rounds: 9 },
  variants: {
    main: {},
    unfused: { data: { fuse: false } },
    worker: { loader: { numWorkers: 1 } },
    workers: { loader: { numWorkers: 2 } },
    barely: { loader: { numWorkers: 2, prefetch: 1 } },
    cloned: { loader: { numWorkers: 2, sharedMemory: false } },
    placed: { data: { placement: "device" }, loader: { numWorkers: 2 } },
    auto: { loader: { numWorkers: "auto" } },
  },
});

if (import.meta.main) await run({ args: ["--pipeline", ...Deno.args] });
