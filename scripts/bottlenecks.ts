/**
 * Four trainings with different bottlenecks: the data, the host, the device, and none. Ablations run each one again with
 * parts of its step taken away; the part that shortens the step is the bottleneck.
 *
 *     deno run -A scripts/bottlenecks.ts
 *     deno run -A scripts/bottlenecks.ts --variants input --advice
 *     deno run -A scripts/bottlenecks.ts width=128 --variants device      # for a fast adapter
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

/** A chain of tiny layers, which cost dispatches but almost no work. */
function chain() {
  return sequential(
    flatten(),
    ...Array.from({ length: 8 }, () => sequential(linear(16), relu())),
    linear(CLASSES),
  );
}

/** Convolutions that keep the device busy. */
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
    input: { data: images({ read: 5 }), loader: { numWorkers: 1 } }, // 40 ms per batch, like remote files
    host: { monitor: "step" }, // reads back each loss, like a loop with .item()
    device: { model: ({ width }) => convolutions(width) },
    balanced: { data: images({ collate: 12 }), monitor: "step" }, // data loading takes as long as the host's work
  },
});

if (import.meta.main) await run();
