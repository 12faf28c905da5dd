import assert from "node:assert/strict";
import { attention } from "./attention.ts";
import { batchNorm } from "./batch_norm.ts";
import { conv2d } from "./conv2d.ts";
import { convTranspose2d } from "./conv_transpose2d.ts";
import { dropout, fnv1a, pcg4d } from "./dropout.ts";
import {
  add,
  flatten,
  gelu,
  geluTanh,
  hardSigmoid,
  hardSwish,
  mul,
  relu,
  relu6,
  scaleChannels,
  sigmoid,
  silu,
  tanh,
} from "./elementwise.ts";
import { lookUp } from "./embedding.ts";
import { layerNorm } from "./layer_norm.ts";
import { linear } from "./linear.ts";
import { crossEntropy, meanSquaredError } from "./losses.ts";
import { concat, pad, part, repeat, transpose } from "./moving.ts";
import { avgPool2d, globalAvgPool2d, maxPool2d } from "./pool.ts";
import { labels, normals } from "./random.ts";
import { bilinear } from "./bilinear.ts";
import { rmsNorm } from "./rms_norm.ts";
import { rotary } from "./rotary.ts";
import { adam, sgd } from "./optimizers.ts";
import { count, Tape, Value } from "./value.ts";

/** Compares the gradients of a weighted sum of `build`'s output with central differences, for every input. */
function checkGradients(name: string, shapes: number[][], build: (tape: Tape, ...inputs: Value[]) => Value): void {
  const values = shapes.map((shape, i) => Float64Array.from(normals(count(shape), 11 + i)));
  const evaluate = (data: Float64Array[]) => {
    const tape = new Tape();
    const inputs = shapes.map((shape, i) => new Value(shape, data[i]!.slice()));
    const y = build(tape, ...inputs);
    const weights = normals(y.data.length, 5);
    const sum = Value.from([1], [y.data.reduce((total, value, i) => total + value * weights[i]!, 0)]);
    tape.record(() => y.grad.forEach((_, i) => y.grad[i]! += weights[i]!));
    tape.backward(sum);
    return { sum: sum.data[0]!, inputs };
  };
  const { inputs } = evaluate(values);
  values.forEach((data, n) => {
    data.forEach((_, at) => {
      const moved = (by: number) =>
        evaluate(values.map((v, i) => i === n ? v.map((x, j) => j === at ? x + by : x) : v));
      const slope = (moved(1e-6).sum - moved(-1e-6).sum) / 2e-6;
      const error = Math.abs(slope - inputs[n]!.grad[at]!);
      assert.ok(error <= 1e-7 * Math.max(1, Math.abs(slope)) * 20, `${name}, input ${n}, element ${at}: ${error}`);
    });
  });
}

const norm = (training: boolean) => (tape: Tape, x: Value, gamma: Value, beta: Value) =>
  batchNorm(tape, x, {
    gamma,
    beta,
    runningMean: Float64Array.of(0.3, -0.1, 0.2),
    runningVariance: Float64Array.of(0.7, 1.1, 2),
  }, training);

Deno.test("reference gradients equal central differences", () => {
  checkGradients(
    "conv2d",
    [[2, 4, 5, 6], [6, 2, 3, 2], [6]],
    (tape, x, w, b) => conv2d(tape, x, w, b, { stride: [2, 1], padding: [1, 2], dilation: [1, 2], groups: 2 }),
  );
  checkGradients("conv2d, plain", [[1, 2, 4, 3], [3, 2, 3, 3]], (tape, x, w) => conv2d(tape, x, w, null));
  checkGradients("linear", [[3, 4], [5, 4], [5]], linear);
  checkGradients("linear of tokens", [[2, 3, 4], [5, 4], [5]], linear);
  checkGradients("layer norm", [[2, 3, 5], [5], [5]], (tape, x, w, b) => layerNorm(tape, x, w, b, 0.1));
  checkGradients("attention", [[2, 4, 12]], (tape, x) => attention(tape, x, 2));
  checkGradients("attention, causal", [[2, 4, 12]], (tape, x) => attention(tape, x, 2, { causal: true }));
  for (const stride of [1, 2, 3] as const) {
    checkGradients(
      `transposed convolution of stride ${stride}`,
      [[2, 3, 3, 2], [3, 2, 2, 3], [2]],
      (tape, x, w, b) => convTranspose2d(tape, x, w, b, [stride, 2]),
    );
  }
  checkGradients("bilinear", [[1, 2, 3, 1]], (tape, x) => bilinear(tape, x, [5, 4]));
  checkGradients("scaled channels", [[2, 3, 2, 2], [2, 3, 1, 1]], scaleChannels);
  checkGradients("concat", [[2, 3, 2], [2, 1, 2]], (tape, a, b) => concat(tape, [a, b], 1));
  checkGradients("transpose", [[2, 3, 2]], (tape, x) => transpose(tape, x, [2, 0, 1]));
  checkGradients("part", [[2, 3, 2]], (tape, x) => part(tape, x, 1, 1, 2));
  checkGradients("padding", [[1, 2, 2, 3]], (tape, x) => pad(tape, x, [1, 0], [0, 2]));
  checkGradients("repeat", [[1, 1, 4]], (tape, x) => repeat(tape, x, 3));
  checkGradients("batch norm", [[4, 3], [3], [3]], norm(true));
  checkGradients("batch norm of images", [[2, 3, 2, 2], [3], [3]], norm(true));
  checkGradients("batch norm, running", [[2, 3, 2, 2], [3], [3]], norm(false));
  checkGradients(
    "max pool",
    [[1, 2, 5, 5]],
    (tape, x) => maxPool2d(tape, x, { kernel: [3, 2], stride: [2, 2], padding: [1, 1] }),
  );
  checkGradients(
    "average pool",
    [[1, 2, 5, 4]],
    (tape, x) => avgPool2d(tape, x, { kernel: [3, 2], stride: [2, 1], padding: [1, 0] }),
  );
  checkGradients("global pool", [[2, 2, 3, 2]], globalAvgPool2d);
  for (const f of [relu, relu6, tanh, sigmoid, hardSigmoid, hardSwish, gelu, geluTanh, silu, flatten]) {
    checkGradients(f.name, [[2, 3, 2]], f);
  }
  checkGradients("add", [[2, 3], [2, 3]], add);
  checkGradients("mul", [[2, 3], [2, 3]], mul);
  checkGradients("rms norm", [[2, 3, 4], [4]], (tape, x, gamma) => rmsNorm(tape, x, gamma, 1e-3));
  checkGradients("rotary", [[2, 3, 8]], (tape, x) => rotary(tape, x, 2, 10));
  checkGradients("look-up", [[4, 3]], (tape, table) => lookUp(tape, table, Value.from([2, 2], [3, 0, 3, 1])));
  checkGradients("x + x", [[2, 3]], (tape, x) => add(tape, x, x));
  checkGradients("dropout", [[2, 3, 2, 2]], (tape, x) => dropout(tape, x, 0.4, { seed: 1, step: 2, path: "drop" }));
  checkGradients("cross entropy", [[4, 5]], (tape, x) => crossEntropy(tape, x, labels(4, 5, 3), 0.1));
  checkGradients("mean squared error", [[4, 5]], (tape, x) => meanSquaredError(tape, x, normals(20, 8)));
});

Deno.test("the reference reproduces known values", () => {
  const at = (x: number) => gelu(new Tape(), Value.from([1], [x])).data[0]!;
  // torch.nn.functional.gelu
  assert.ok(Math.abs(at(1) - 0.8413447460685429) < 1e-12);
  assert.ok(Math.abs(at(-2) + 0.04550026389635842) < 1e-12);
  const far = Value.from([4], [-4, 1, 2.5, 7]);
  assert.deepEqual([...relu6(new Tape(), far).data], [0, 1, 2.5, 6]);
  assert.deepEqual([...hardSigmoid(new Tape(), far).data], [0, 4 / 6, 5.5 / 6, 1]);
  assert.deepEqual([...hardSwish(new Tape(), far).data], [-0, 4 / 6, 2.5 * 5.5 / 6, 7]);
  assert.equal(fnv1a("foobar"), 0xbf9cf968);
  assert.notDeepEqual(pcg4d([0, 0, 0, 0]), pcg4d([0, 0, 0, 1]));
  const [tape, logits] = [new Tape(), Value.from([1, 2], [0, Math.log(3)])];
  assert.ok(Math.abs(crossEntropy(tape, logits, Int32Array.of(1), 0).data[0]! - Math.log(4 / 3)) < 1e-15);
});

Deno.test("the reference's first updates equal those computed by hand", () => {
  const parameter = () => {
    const value = Value.from([1], [2]);
    value.grad[0] = 0.5;
    return value;
  };
  const near = (value: Value, wanted: number) => assert.ok(Math.abs(value.data[0]! - wanted) < 1e-12, `${value.data}`);
  const a = parameter();
  const nesterov = sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.1 });
  nesterov([a]);
  near(a, 2 - 0.1 * (0.7 + 0.9 * 0.7));
  const before = a.data[0]!;
  nesterov([a]);
  const g = 0.5 + 0.1 * before;
  near(a, before - 0.1 * (g + 0.9 * (0.9 * 0.7 + g)));
  const b = parameter();
  adam({ learningRate: 0.1, weightDecay: 0.1 })([b]);
  near(b, 2 - 0.1 * 0.7 / (0.7 + 1e-8));
  const c = parameter();
  adam({ learningRate: 0.1, weightDecay: 0.1, decoupled: true })([c]);
  near(c, 2 * 0.99 - 0.1 * 0.5 / (0.5 + 1e-8));
});
