/**
 * A custom model. A layer is a function from tensor to tensor, so a residual block is plain TypeScript. Shapes are checked
 * while the model is built, before a device is opened.
 *
 *     deno run -A examples/02_own_model.ts
 *     deno run -A examples/02_own_model.ts width=16 blocks=1,2,4   # parameters can be swept too
 */
import {
  adam,
  add,
  batchNorm,
  conv2d,
  crossEntropy,
  flatten,
  globalAvgPool2d,
  type Layer,
  layer,
  linear,
  relu,
  run,
  scenario,
  scope,
  sequential,
  syntheticImages,
  z,
} from "../mod.ts";

const conv = (channels: number, stride = 1): Layer => conv2d(channels, { kernel: 3, stride, padding: "same" });

/** Computes `relu(x + body(x))`. Layers with weights are created once, outside the function. */
function residual(channels: number): Layer {
  const body = sequential({ conv1: conv(channels), bn1: batchNorm(), relu: relu(), conv2: conv(channels) });
  return layer((x) => relu()(add(x, body(x))));
}

export default scenario({
  name: "own-model",
  params: {
    width: z.coerce.number().default(8).describe("channels"),
    blocks: z.coerce.number().default(3).describe("residual blocks"),
  },
  // Names appear in reports and in the names of parameters: `stem.weight`, `block1.conv1.weight`, ...
  model: ({ width, blocks }) =>
    sequential({
      stem: conv(width, 2),
      ...Object.fromEntries(Array.from({ length: blocks }, (_, i) => [`block${i + 1}`, residual(width)])),
      head: sequential(globalAvgPool2d(), flatten(), scope("classify", linear(10))),
    }),
  loss: crossEntropy(),
  optimizer: adam({ learningRate: 1e-3 }),
  data: syntheticImages({ height: 32, width: 32, classes: 10, length: 2000 }),
  loader: { batchSize: 16 },
  measure: { steps: 5, skip: 2, rounds: 12 },
  variants: {
    baseline: {},
    shallow: { params: { blocks: 1 } },
  },
});

if (import.meta.main) await run();
