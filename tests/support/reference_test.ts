/** Comparison of the reference ops with TensorFlow.js, so that neither is trusted alone. */
import * as tf from "../packages/tfjs.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { normalBelow } from "./normal_distribution.ts";
import { assertClose, normals, type Values } from "./op_case.ts";
import { normalise, statistics } from "./reference.ts";
import { crossEntropy } from "./reference/losses.ts";
import { avgPool2d, maxPool2d } from "./reference/pool.ts";
import { Tape, Value } from "./reference/value.ts";

const SHAPE = [2, 3, 7, 5] as const;

function images(values: Values): tf.Tensor4D {
  return tf.transpose(tf.tensor(Float32Array.from(values), [...SHAPE]), [0, 2, 3, 1]) as tf.Tensor4D;
}

function logical(nhwc: tf.Tensor): Values {
  return tf.transpose(nhwc, [0, 3, 1, 2]).dataSync();
}

Deno.test("references of pooling agree with TensorFlow.js", async () => {
  await tf.setBackend("cpu");
  const x = normals(sizeOf(SHAPE), 1);
  for (const padding of [[0, 0], [1, 1]] as const) {
    const attrs = { kernel: [3, 2], stride: [2, 1], padding } as const;
    const explicit: [[number, number], [number, number], [number, number], [number, number]] = [
      [0, 0],
      [padding[0], padding[0]],
      [padding[1], padding[1]],
      [0, 0],
    ];
    const largest = tf.maxPool(images(x), [3, 2], [2, 1], explicit, "floor");
    assertClose(
      maxPool2d(new Tape(), Value.from(SHAPE, x), attrs).data,
      logical(largest),
      1e-6,
      `max, padding ${padding}`,
    );
    const mean = tf.avgPool(images(x), [3, 2], [2, 1], explicit, "floor");
    const reference = avgPool2d(new Tape(), Value.from(SHAPE, x), { ...attrs, countIncludePad: false });
    assertClose(reference.data, logical(mean), 1e-6, `average, padding ${padding}`);
  }
});

Deno.test("the reference of batch normalisation agrees with TensorFlow.js", async () => {
  await tf.setBackend("cpu");
  const x = normals(sizeOf(SHAPE), 1);
  const [gamma, beta] = [normals(3, 2), normals(3, 3)];
  const { mean, variance } = tf.moments(images(x), [0, 1, 2]);
  const by = statistics(x, SHAPE);
  assertClose(by.mean, mean.dataSync(), 1e-5, "mean");
  assertClose(by.variance, variance.dataSync(), 1e-5, "variance");
  const y = tf.batchNorm(
    images(x),
    mean as tf.Tensor1D,
    variance as tf.Tensor1D,
    tf.tensor1d(Float32Array.from(beta)),
    tf.tensor1d(Float32Array.from(gamma)),
    1e-5,
  );
  assertClose(
    normalise(x, SHAPE, by, { gamma, beta, epsilon: 1e-5, activation: "none" }),
    logical(y),
    1e-5,
    "y",
  );
});

Deno.test("references of cross-entropy and the normal distribution agree with TensorFlow.js", async () => {
  await tf.setBackend("cpu");
  const shape: Shape = [7, 5];
  const logits = normals(sizeOf(shape), 1);
  const targets = [0, 4, 2, 2, 1, 3, 0];
  for (const smoothing of [0, 0.1]) {
    const hot = tf.oneHot(tf.tensor1d(targets, "int32"), 5);
    const smooth = tf.add(tf.mul(hot, 1 - smoothing), smoothing / 5);
    const losses = tf.neg(tf.sum(tf.mul(smooth, tf.logSoftmax(tf.tensor2d(Float32Array.from(logits), [7, 5]))), 1));
    const loss = tf.mean(losses).dataSync();
    assertClose(
      crossEntropy(new Tape(), Value.from(shape, logits), Int32Array.from(targets), smoothing).data,
      loss,
      1e-5,
      `smoothing ${smoothing}`,
    );
  }
  const erf = tf.erf(tf.tensor1d(Float32Array.from(logits, (x) => x / Math.SQRT2))).dataSync();
  // TensorFlow.js uses a polynomial whose error is 1.5e-7
  assertClose(Float64Array.from(logits, normalBelow), erf.map((e) => (1 + e) / 2), 1e-6, "P(X <= x)");
});
