/**
 * The transformers in TensorFlow.js on its WebGPU backend: its own Adam after the decay of the weights, `tf.tidy` in each
 * step. Matrices are `[in, out]`, as its dense layers have them.
 */
import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-webgpu";
import { trainSteps } from "./steps.ts";
import { ADAMW, drawTask, type Gpt, namedTask, patchesOf, type Vit } from "./transformers.ts";
import { drawParameters } from "./weights.ts";
import { BATCHES } from "./workload.ts";

const task = namedTask(Deno.args[0]);
await tf.setBackend("webgpu");
await tf.ready();

const { batch, layers, heads, width, epsilon } = task;
const { input, target } = drawTask(task);
const inputShape = task.name === "gpt" ? [task.context] : [...task.shape];
const inputSize = inputShape.reduce((a, b) => a * b, 1);
const positions = task.name === "gpt" ? task.context : patchesOf(task) + 1;

const weights = new Map<string, tf.Variable>();
for (const [name, { shape, data }] of drawParameters(task)) weights.set(name, tf.variable(stored(name, shape, data)));
const variables = [...weights.values()];
const optimizer = tf.train.adam(task.learningRate, ADAMW.beta1, ADAMW.beta2, ADAMW.epsilon);
const kept = tf.scalar(1 - task.learningRate * ADAMW.weightDecay);
const mask = tf.tidy(() => {
  const rows = tf.range(0, positions);
  return tf.mul(tf.cast(tf.less(tf.expandDims(rows, 1), tf.expandDims(rows, 0)), "float32"), -1e9);
});

await trainSteps(step, read);

function stored(name: string, shape: number[], data: Float32Array): tf.Tensor {
  const value = tf.tensor(data, shape);
  if (name === "patches.weight") return tf.transpose(tf.reshape(value, [width, -1]));
  return name !== "tokens" && name.endsWith(".weight") && shape.length === 2 ? tf.transpose(value) : value;
}

function step(index: number): tf.Scalar {
  const from = (index % BATCHES) * batch;
  const per = target.length / (batch * BATCHES);
  return tf.tidy(() => {
    const values = input.subarray(from * inputSize, (from + batch) * inputSize);
    const x = tf.tensor(values, [batch, ...inputShape], task.name === "gpt" ? "int32" : "float32");
    const y = tf.tensor1d(target.subarray(from * per, (from + batch) * per), "int32");
    const { value, grads } = tf.variableGrads(() => lossOf(x, y), variables);
    for (const variable of variables) variable.assign(tf.mul(variable, kept));
    optimizer.applyGradients(Object.entries(grads).map(([name, tensor]) => ({ name, tensor })));
    return value;
  });
}

async function read(loss: tf.Scalar): Promise<number> {
  const [value] = await loss.data();
  loss.dispose();
  return value!;
}

function lossOf(x: tf.Tensor, y: tf.Tensor1D): tf.Scalar {
  const logits = task.name === "gpt" ? gpt(x, task) : vit(x, task);
  const classes = logits.shape.at(-1)!;
  return tf.losses.softmaxCrossEntropy(tf.oneHot(y, classes), tf.reshape(logits, [-1, classes])) as tf.Scalar;
}

function gpt(tokens: tf.Tensor, { vocabulary }: Gpt): tf.Tensor {
  const table = weight("tokens") as tf.Tensor2D;
  const embedded = tf.reshape(tf.gather(table, tf.reshape(tokens, [-1])), [batch, positions, width]);
  const rows = tf.reshape(body(tf.add(embedded, weight("positions")), true), [-1, width]) as tf.Tensor2D;
  return tf.reshape(tf.matMul(rows, table, false, true), [batch, positions, vocabulary]);
}

function vit(images: tf.Tensor, { shape: [channels, height], patch }: Vit): tf.Tensor {
  const side = height / patch;
  const split = tf.reshape(images, [batch, channels, side, patch, side, patch]);
  const patches = tf.reshape(tf.transpose(split, [0, 2, 4, 1, 3, 5]), [-1, channels * patch * patch]) as tf.Tensor2D;
  const embedded = tf.add(tf.matMul(patches, weight("patches.weight") as tf.Tensor2D), weight("patches.bias"));
  const first = tf.tile(weight("class"), [batch, 1, 1]);
  const x = tf.concat([first, tf.reshape(embedded, [batch, side * side, width])], 1);
  const y = body(tf.add(x, weight("positions")), false);
  return linear("head", tf.reshape(tf.slice(y, [0, 0, 0], [batch, 1, width]), [batch, width]));
}

function body(x: tf.Tensor, causal: boolean): tf.Tensor {
  for (let i = 0; i < layers; i++) {
    const name = `blocks.${i}`;
    x = tf.add(x, attention(name, layerNorm(`${name}.norm1`, x), causal));
    const wide = linear(`${name}.expand`, layerNorm(`${name}.norm2`, x));
    x = tf.add(x, linear(`${name}.contract`, causal ? geluTanh(wide) : gelu(wide)));
  }
  return layerNorm("norm", x);
}

function attention(name: string, x: tf.Tensor, causal: boolean): tf.Tensor {
  const depth = width / heads;
  const split = tf.reshape(linear(`${name}.project`, x), [batch, positions, 3 * heads, depth]);
  const [q, k, v] = tf.split(tf.transpose(split, [0, 2, 1, 3]), 3, 1) as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D];
  const scores = tf.mul(tf.matMul(q, k, false, true), depth ** -0.5);
  const values = tf.matMul(tf.softmax(causal ? tf.add(scores, mask) : scores), v);
  return linear(`${name}.join`, tf.reshape(tf.transpose(values, [0, 2, 1, 3]), [batch, positions, width]));
}

function linear(name: string, x: tf.Tensor): tf.Tensor {
  const matrix = weight(`${name}.weight`) as tf.Tensor2D;
  const rows = tf.reshape(x, [-1, matrix.shape[0]]) as tf.Tensor2D;
  return tf.reshape(tf.add(tf.matMul(rows, matrix), weight(`${name}.bias`)), [
    ...x.shape.slice(0, -1),
    matrix.shape[1],
  ]);
}

function layerNorm(name: string, x: tf.Tensor): tf.Tensor {
  const { mean, variance } = tf.moments(x, -1, true);
  const normal = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, epsilon)));
  return tf.add(tf.mul(normal, weight(`${name}.weight`)), weight(`${name}.bias`));
}

function geluTanh(x: tf.Tensor): tf.Tensor {
  const inner = tf.mul(tf.add(x, tf.mul(tf.mul(x, tf.mul(x, x)), 0.044715)), Math.sqrt(2 / Math.PI));
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
}

function gelu(x: tf.Tensor): tf.Tensor {
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
}

function weight(name: string): tf.Variable {
  return weights.get(name)!;
}
