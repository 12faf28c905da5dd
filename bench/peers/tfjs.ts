/** The workloads in TensorFlow.js on its WebGPU backend: images in NHWC, its own optimizer, `tf.tidy` in each step. */
import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-webgpu";
import { trainSteps } from "./steps.ts";
import { BATCHES, CLASSES, drawImages, MOMENTUM, namedWorkload } from "./workload.ts";

type Model = (x: tf.Tensor) => tf.Tensor;

const workload = namedWorkload(Deno.args[0]);
await tf.setBackend("webgpu");
await tf.ready();

const weights: tf.Variable[] = [];
const model = workload.name === "lenet" ? lenet() : resnet20();
const count = weights.reduce((sum, { size }) => sum + size, 0);
if (count !== workload.parameters) throw new Error(`Expected ${workload.parameters} parameters, made ${count}`);

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
    return optimizer.minimize(() => tf.losses.softmaxCrossEntropy(y, model(x)) as tf.Scalar, true, weights)!;
  });
}

async function read(loss: tf.Scalar): Promise<number> {
  const [value] = await loss.data();
  loss.dispose();
  return value!;
}

function weight(shape: number[], value?: number): tf.Variable {
  const fan = shape.slice(0, -1).reduce((product, n) => product * n, 1);
  const initial = value === undefined
    ? tf.randomNormal(shape, 0, Math.sqrt(2 / fan), "float32", 7)
    : tf.fill(shape, value);
  const variable = tf.variable(initial);
  weights.push(variable);
  return variable;
}

function conv(from: number, to: number, kernel: number, stride = 1, padding: "same" | "valid" = "same"): Model {
  const filter = weight([kernel, kernel, from, to]) as tf.Variable<tf.Rank.R4>;
  return (x) => tf.conv2d(x as tf.Tensor4D, filter, stride, padding);
}

function bias(features: number): Model {
  const value = weight([features], 0);
  return (x) => tf.add(x, value);
}

function linear(from: number, to: number): Model {
  const matrix = weight([from, to]) as tf.Variable<tf.Rank.R2>;
  const add = bias(to);
  return (x) => add(tf.matMul(x as tf.Tensor2D, matrix));
}

function batchNorm(features: number): Model {
  const gamma = weight([features], 1);
  const beta = weight([features], 0);
  return (x) => {
    const { mean, variance } = tf.moments(x, [0, 1, 2]);
    return tf.batchNorm(
      x,
      mean as tf.Tensor1D,
      variance as tf.Tensor1D,
      beta as tf.Tensor1D,
      gamma as tf.Tensor1D,
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

function flatten(x: tf.Tensor): tf.Tensor {
  return tf.reshape(x, [x.shape[0]!, -1]);
}

function lenet(): Model {
  return chain(
    conv(1, 6, 5),
    bias(6),
    relu,
    maxPool,
    conv(6, 16, 5, 1, "valid"),
    bias(16),
    relu,
    maxPool,
    flatten,
    linear(400, 120),
    relu,
    linear(120, 84),
    relu,
    linear(84, CLASSES),
  );
}

function resnet20(): Model {
  const layers: Model[] = [conv(3, 16, 3), batchNorm(16), relu];
  let from = 16;
  for (const [stage, to] of [16, 32, 64].entries()) {
    for (let block = 0; block < 3; block++) {
      layers.push(residual(from, to, stage > 0 && block === 0 ? 2 : 1));
      from = to;
    }
  }
  layers.push((x) => tf.mean(x, [1, 2]), linear(64, CLASSES));
  return chain(...layers);
}

function residual(from: number, to: number, stride: number): Model {
  const body = chain(conv(from, to, 3, stride), batchNorm(to), relu, conv(to, to, 3), batchNorm(to));
  const shortcut = from === to ? chain() : chain(conv(from, to, 1, stride), batchNorm(to));
  return (x) => tf.relu(tf.add(body(x), shortcut(x)));
}
