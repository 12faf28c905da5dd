/**
 * A small transformer of layers and tensor ops. It reads a sequence of tokens and names the first one after the marker,
 * which only attention can find.
 *
 *     deno run -A examples/06_transformer.ts
 *     deno run -A examples/06_transformer.ts depth=1,2 heads=4   # depths in turn
 */
import {
  adamW,
  add,
  crossEntropy,
  embedding,
  gelu,
  type Layer,
  layer,
  layerNorm,
  learnedPositions,
  linear,
  mean,
  mul,
  multiHeadAttention,
  run,
  scenario,
  sequential,
  sum,
  tensors,
  z,
} from "../mod.ts";

const [samples, length, vocabulary] = [2048, 12, 10];
const marker = vocabulary - 1;

/** Sequences with one marker each, and the token after it. */
function sequences(): { tokens: Int32Array; answers: Int32Array } {
  const tokens = Int32Array.from({ length: samples * length }, (_, i) => (i * i * 31 + i * 17 + (i >> 5)) % marker);
  const answers = Int32Array.from({ length: samples }, (_, n) => {
    const place = n * length + (n * 7) % (length - 1);
    tokens[place] = marker;
    return tokens[place + 1]!;
  });
  return { tokens, answers };
}

const residual = (body: Layer): Layer => layer((x) => add(x, body(x)));

/** Attention and a perceptron, each on normalised inputs and added to its input. */
const block = (width: number, heads: number): Layer =>
  sequential({
    attention: residual(sequential({ norm: layerNorm(), heads: multiHeadAttention({ heads }) })),
    mlp: residual(sequential({ norm: layerNorm(), up: linear(4 * width), gelu: gelu(), down: linear(width) })),
  });

/** Mean over positions, weighted by a score of each: a custom layer of tensor ops. Its weights are created once. */
function pooled(): Layer {
  const score = linear(1);
  return layer((x) => {
    const scores = score(x);
    return add(mean(x, { axes: 1 }), mul(sum(mul(x, scores), { axes: 1 }), 1 / length));
  });
}

const { tokens, answers } = sequences();

export default scenario({
  name: "transformer",
  params: {
    width: z.coerce.number().default(32).describe("features of a position"),
    depth: z.coerce.number().default(2).describe("blocks"),
    heads: z.coerce.number().default(4).describe("heads of attention"),
  },
  model: ({ width, depth, heads }) =>
    sequential({
      tokens: embedding(vocabulary, width),
      positions: learnedPositions(length),
      ...Object.fromEntries(Array.from({ length: depth }, (_, i) => [`block${i + 1}`, block(width, heads)])),
      norm: layerNorm(),
      pool: pooled(),
      classify: linear(marker),
    }),
  loss: crossEntropy(),
  optimizer: adamW({ learningRate: 3e-3 }),
  data: tensors({
    input: { shape: [length], data: tokens },
    target: { shape: [], data: answers },
    classes: marker,
  }),
  loader: { batchSize: 32 },
  measure: { steps: 5, skip: 2, rounds: 12 },
  variants: {
    baseline: {},
    shallow: { params: { depth: 1 } },
  },
});

if (import.meta.main) await run();
