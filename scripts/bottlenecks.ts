/**
 * Four trainings, each held up by something else: by its data, by the host, by the device, and by nothing in particular.
 * Each is run again with parts of its step taken away; the part without which it is shorter is what bounds it.
 *
 *     deno run -A scripts/bottlenecks.ts
 *     deno run -A scripts/bottlenecks.ts --variants input --advice
 *     deno run -A scripts/bottlenecks.ts width=128 --variants device      # for an adapter that is fast
 */
import {
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  linear,
  relu,
  run,
  scenario,
  sequential,
  sgd,
  syntheticImages,
  z,
} from "../mod.ts";

const SIZE = 32;
const CLASSES = 10;

/** Tiny layers one after the other: each costs a dispatch or more, and none any work. */
function chain() {
  return sequential(
    flatten(),
    ...Array.from({ length: 8 }, () => sequential(linear(16), relu())),
    linear(CLASSES),
  );
}

/** Convolutions that leave a device no time for anything else. */
function convolutions(width: number) {
  return sequential(
    ...Array.from({ length: 4 }, () => sequential(conv2d(width, { kernel: 3, padding: 1 }), relu())),
    globalAvgPool2d(),
    flatten(),
    linear(CLASSES),
  );
}

function images(delay: Partial<Record<"read" | "collate", number>> = {}) {
  return syntheticImages({ height: SIZE, width: SIZE, classes: CLASSES, length: 4096, delay });
}

export default scenario({
  name: "bottlenecks",
  params: { width: z.coerce.number().int().positive().default(64).describe("channels of the convolutions") },
  model: () => chain(),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: images(),
  loader: { batchSize: 8 },
  measure: { steps: 5, skip: 2, maxSkip: 2, rounds: 2, aa: false },
  bottleneck: true,
  variants: {
    input: { data: images({ read: 5 }), loader: { numWorkers: 1 } }, // 40 ms a batch, as from files that are far away
    host: { monitor: "step" }, // reads each loss back, as a loop with .item() does
    device: { model: ({ width }) => convolutions(width) },
    balanced: { data: images({ collate: 12 }), monitor: "step" }, // data takes as long as the host
  },
});

if (import.meta.main) await run();
