/** The kernels in TensorFlow.js on its WebGPU backend, with images in NHWC. */
import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-webgpu";
import { elementAt, kernelNamed, type KernelTime, operand, operandShapes, timeBlocks } from "./kernels.ts";

const one = kernelNamed(Deno.args[0]);
await tf.setBackend("webgpu");
await tf.ready();

const [first, second] = operandShapes(one).map((shape, i) => tf.tensor(operand(one, i as 0 | 1), shape));
const images = one.op === "conv";
const a = images ? tf.transpose(first!, [0, 2, 3, 1]) : first!;
const b = images ? tf.transpose(second!, [2, 3, 1, 0]) : second!;

const time = await timeBlocks(async (repeats) => {
  let last = a.clone();
  for (let i = 0; i < repeats; i++) {
    const next = kernel(last);
    last.dispose();
    last = next;
  }
  await last.data();
  last.dispose();
});
const result = images ? tf.transpose(kernel(a), [0, 3, 1, 2]) : kernel(a);
const values = await result.data();
const measured: KernelTime = { library: "tfjs-webgpu", time, element: values[elementAt(one)]! };
console.log(JSON.stringify(measured));
Deno.exit(0);

function kernel(x: tf.Tensor): tf.Tensor {
  if (one.op === "matmul") return tf.matMul(x as tf.Tensor2D, b as tf.Tensor2D);
  if (one.op === "add") return tf.add(x, b);
  return tf.conv2d(x as tf.Tensor4D, b as tf.Tensor4D, 1, "same");
}
