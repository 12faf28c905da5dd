/**
 * The transformers in jax-js: one jit-compiled function for the whole step, which takes ownership of the arrays, and the
 * library's own attention. Tokens are looked up by a product with one-hot rows, since `np.take` has no gradient on Deno's
 * WebGPU. The device is the last argument.
 */
import { blockUntilReady, defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { trainSteps } from "./steps.ts";
import { ADAMW, drawTask, namedTask, patchesOf, type Vit } from "./transformers.ts";
import { drawParameters } from "./weights.ts";
import { BATCHES } from "./workload.ts";

type Parameters = { [name: string]: np.Array };

const device = Deno.args.at(-1) === "wasm" ? "wasm" : "webgpu";
await init(device);
defaultDevice(device);

const task = namedTask(Deno.args[0]);
const { batch, layers, heads, width, epsilon } = task;
const { input, target } = drawTask(task);
const inputShape = task.name === "gpt" ? [task.context] : [...task.shape];
const inputSize = inputShape.reduce((a, b) => a * b, 1);
const positions = task.name === "gpt" ? task.context : patchesOf(task) + 1;

let parameters: Parameters = Object.fromEntries(
  [...drawParameters(task)].map(([name, { shape, data }]) => [name, np.array(data).reshape(shape)]),
);
let means: Parameters = tree.map((p: np.Array) => np.zerosLike(p), tree.ref(parameters));
let squares: Parameters = tree.map((p: np.Array) => np.zerosLike(p), tree.ref(parameters));
const step = jit(trainStep);
await blockUntilReady([parameters, means, squares]);
await trainSteps(dispatch, async (loss) => (await loss.data())[0]!);

function dispatch(index: number): np.Array {
  const from = (index % BATCHES) * batch;
  const values = input.subarray(from * inputSize, (from + batch) * inputSize);
  const x = np.array(values, { dtype: task.name === "gpt" ? np.int32 : np.float32 }).reshape([batch, ...inputShape]);
  const per = target.length / (batch * BATCHES);
  const y = np.array(target.subarray(from * per, (from + batch) * per), { dtype: np.int32 });
  const t = index + 1;
  const corrections = np.array([1 - ADAMW.beta1 ** t, 1 - ADAMW.beta2 ** t]);
  let loss: np.Array;
  [parameters, means, squares, loss] = step(parameters, means, squares, x, y, corrections);
  return loss;
}

/** Trains one step of AdamW. */
function trainStep(
  p: Parameters,
  m: Parameters,
  v: Parameters,
  x: np.Array,
  y: np.Array,
  corrections: np.Array,
): [Parameters, Parameters, Parameters, np.Array] {
  const { beta1, beta2, epsilon, weightDecay } = ADAMW;
  const [loss, gradients] = valueAndGrad(lossOf)(tree.ref(p), x, y);
  const [c1, c2] = np.split(corrections, 2) as [np.Array, np.Array];
  const next: [Parameters, Parameters, Parameters] = [{}, {}, {}];
  for (const name of Object.keys(p)) {
    const g = gradients[name]!;
    const mean = m[name]!.mul(beta1).add(g.ref.mul(1 - beta1));
    const square = v[name]!.mul(beta2).add(np.square(g).mul(1 - beta2));
    const size = np.sqrt(square.ref.div(c2.ref)).add(epsilon);
    const change = mean.ref.div(c1.ref).div(size).mul(task.learningRate);
    next[0][name] = p[name]!.mul(1 - task.learningRate * weightDecay).sub(change);
    next[1][name] = mean;
    next[2][name] = square;
  }
  c1.dispose();
  c2.dispose();
  return [...next, loss];
}

function lossOf(p: Parameters, x: np.Array, y: np.Array): np.Array {
  const logits = task.name === "gpt" ? gpt(p, x, task.vocabulary) : vit(p, x, task);
  const classes = logits.shape.at(-1)!;
  const rows = logits.reshape([-1, classes]);
  const count = rows.shape[0]!;
  return nn.logSoftmax(rows, -1).mul(nn.oneHot(y, classes)).sum().mul(-1 / count);
}

function gpt(p: Parameters, tokens: np.Array, vocabulary: number): np.Array {
  const x = np.matmul(nn.oneHot(tokens, vocabulary), p["tokens"]!.ref).add(p["positions"]!.ref);
  return np.matmul(body(p, x, true), p["tokens"]!.ref.transpose());
}

function vit(p: Parameters, images: np.Array, { shape: [channels, height], patch }: Vit): np.Array {
  const side = height / patch;
  const patches = images.reshape([batch, channels, side, patch, side, patch]).transpose([0, 2, 4, 1, 3, 5])
    .reshape([batch, side * side, channels * patch * patch]);
  const weight = p["patches.weight"]!.ref.reshape([width, channels * patch * patch]);
  const embedded = np.matmul(patches, weight.transpose()).add(p["patches.bias"]!.ref);
  const first = np.broadcastTo(p["class"]!.ref, [batch, 1, width]);
  const x = np.concatenate([first, embedded], 1).add(p["positions"]!.ref);
  return linear(p, "head", body(p, x, false).slice([], 0));
}

function body(p: Parameters, x: np.Array, causal: boolean): np.Array {
  for (let i = 0; i < layers; i++) {
    const name = `blocks.${i}`;
    x = x.ref.add(attention(p, name, layerNorm(p, `${name}.norm1`, x), causal));
    const wide = linear(p, `${name}.expand`, layerNorm(p, `${name}.norm2`, x.ref));
    x = x.add(linear(p, `${name}.contract`, nn.gelu(wide, { approximate: causal })));
  }
  return layerNorm(p, "norm", x);
}

function attention(p: Parameters, name: string, x: np.Array, isCausal: boolean): np.Array {
  const projected = linear(p, `${name}.project`, x).reshape([batch, positions, 3, heads, width / heads]);
  const [q, k, v] = [projected.ref.slice([], [], 0), projected.ref.slice([], [], 1), projected.slice([], [], 2)];
  const joined = nn.dotProductAttention(q, k, v, { isCausal }).reshape([batch, positions, width]);
  return linear(p, `${name}.join`, joined);
}

function linear(p: Parameters, name: string, x: np.Array): np.Array {
  return np.matmul(x, p[`${name}.weight`]!.ref.transpose()).add(p[`${name}.bias`]!.ref);
}

function layerNorm(p: Parameters, name: string, x: np.Array): np.Array {
  const centered = x.ref.sub(x.mean(-1, { keepdims: true }));
  const variance = np.square(centered.ref).mean(-1, { keepdims: true });
  return centered.div(np.sqrt(variance.add(epsilon))).mul(p[`${name}.weight`]!.ref).add(p[`${name}.bias`]!.ref);
}
