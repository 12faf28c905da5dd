/** The workloads in TensorFlow.js on its WebGPU backend: images in NHWC, its own optimizer, `tf.tidy` in each step. */
import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-webgpu";
import { trainSteps } from "./steps.ts";
import { drawParameters } from "./weights.ts";
import { BATCHES, CLASSES, drawImages, MOMENTUM, namedWorkload, residualBlocks } from "./workload.ts";

type Model = (x: tf.Tensor) => tf.Tensor;

const workload = namedWorkload(Deno.args[0]);
await tf.setBackend("webgpu");
await tf.ready();

const weights = new Map<string, tf.Variable>();
for (const [name, { shape, data }] of drawParameters(workload)) weights.set(name, tf.variable(stored(shape, data)));
const variables = [...weights.values()];
const model = workload.name === "lenet" ? lenet() : resnet20();

const optimizer = tf.train.momentum(workload.learningRate, MOMENTUM);
const { batch, shape: [channels, height, width] } = workload;
const { input, target } = drawImages(workload);

await trainSteps(step, read);

function step(index: number): tf.Scalar {
  const size = channels * height * width;
  const from = (index % BATCHES) * batch;
  return tf.tidy(() => {
    const images = tf.tensor4d(input.subarray(from * size, (from + batch) * size), [batch, channels, height, width]);
    const x = channels === 1 ? tf.reshape(images, [batch, height, width, 1]) : tf.transpose(images, [0, 2, 3, 1]);
    const y = tf.oneHot(tf.tensor1d(target.subarray(from, from + batch), "int32"), CLASSES);
    return optimizer.minimize(() => tf.losses.softmaxCrossEntropy(y, model(x)) as tf.Scalar, true, variables)!;
  });
}

async function read(loss: tf.Scalar): Promise<number> {
  const [value] = await loss.data();
  loss.dispose();
  return value!;
}

/** Filters are `[height, width, in, out]` and matrices `[in, out]`. */
function stored(shape: number[], data: Float32Array): tf.Tensor {
  const value = tf.tensor(data, shape);
  return shape.length === 4 ? tf.transpose(value, [2, 3, 1, 0]) : shape.length === 2 ? tf.transpose(value) : value;
}

function weight(name: string): tf.Variable {
  return weights.get(name)!;
}

/** @param padding before and after each side */
function conv(name: string, stride = 1, padding = weight(`${name}.weight`).shape[0]! >> 1): Model {
  const filter = weight(`${name}.weight`) as tf.Variable<tf.Rank.R4>;
  return (x) => tf.conv2d(x as tf.Tensor4D, filter, stride, pads(padding));
}

/** Returns the same number of zeros on both sides: "same" has one more after a stride of 2. */
function pads(padding: number): [[number, number], [number, number], [number, number], [number, number]] {
  return [[0, 0], [padding, padding], [padding, padding], [0, 0]];
}

function bias(name: string): Model {
  return (x) => tf.add(x, weight(`${name}.bias`));
}

function linear(name: string): Model {
  const add = bias(name);
  return (x) => add(tf.matMul(x as tf.Tensor2D, weight(`${name}.weight`) as tf.Variable<tf.Rank.R2>));
}

function batchNorm(name: string): Model {
  return (x) => {
    const { mean, variance } = tf.moments(x, [0, 1, 2]);
    return tf.batchNorm(
      x,
      mean as tf.Tensor1D,
      variance as tf.Tensor1D,
      weight(`${name}.bias`) as tf.Variable<tf.Rank.R1>,
      weight(`${name}.weight`) as tf.Variable<tf.Rank.R1>,
      1e-5,
    );
  };
}

function chain(...layers: Model[]): Model {
  return (x) => layers.reduce((y, layer) => layer(y), x);
}

function relu(x: tf.Tensor): tf.Tensor {
  return tf.relu(x);
}

function maxPool(x: tf.Tensor): tf.Tensor {
  return tf.maxPool(x as tf.Tensor4D, 2, 2, "valid");
}

/** Flattens channels first, as the shared weights expect. */
function flatten(x: tf.Tensor): tf.Tensor {
  return tf.reshape(tf.transpose(x, [0, 3, 1, 2]), [x.shape[0]!, -1]);
}

function lenet(): Model {
  const features = [conv("conv1"), bias("conv1"), relu, maxPool, conv("conv2", 1, 0), bias("conv2"), relu, maxPool];
  return chain(...features, flatten, linear("fc1"), relu, linear("fc2"), relu, linear("fc3"));
}

function resnet20(): Model {
  const blocks = residualBlocks().map(({ at, from, to, stride }) => residual(at, from === to, stride));
  return chain(conv("conv1"), batchNorm("bn1"), relu, ...blocks, (x) => tf.mean(x, [1, 2]), linear("fc"));
}

function residual(name: string, plain: boolean, stride: number): Model {
  const body = chain(
    conv(`${name}.conv1`, stride),
    batchNorm(`${name}.bn1`),
    relu,
    conv(`${name}.conv2`),
    batchNorm(`${name}.bn2`),
  );
  const shortcut = plain ? chain() : chain(conv(`${name}.downsample.0`, stride), batchNorm(`${name}.downsample.1`));
  return (x) => tf.relu(tf.add(body(x), shortcut(x)));
}
