/**
 * Sums over rows at sizes that reach every path of the GPU kernels: several workgroups side by side with a partial last
 * one, several workgroups per column, and more partial sums than a workgroup has invocations.
 *
 * @module
 */
import { activationGrad } from "../../../ops/activation_grad.ts";
import { add } from "../../../ops/add.ts";
import { batchNorm } from "../../../ops/batch_norm.ts";
import { biasGrad } from "../../../ops/bias_grad.ts";
import { reluOp } from "../../../ops/relu.ts";
import { type Shape, sizeOf } from "../../../runtime/core/shape.ts";
import { differentiate } from "../../../runtime/graph/autograd.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import type { Tensor } from "../../../runtime/graph/op.ts";
import { activation, type ImageLayout, rowMajor } from "../../../runtime/graph/types.ts";
import { evaluate } from "../../support/evaluate.ts";
import { full, sampled } from "../../support/full.ts";
import { assertClose, everyCandidate, normals, rounded, type Values } from "../../support/op_case.ts";
import { normalise, statistics } from "../../support/reference.ts";

const CASES: readonly (readonly [Shape, ImageLayout])[] = [
  [[2, 132, 9, 31], "nhwc"],
  [[5, 260, 3, 3], "nhwc"],
  [[1, 35, 151, 37], "nhwc"],
  // Takes a third of the time, and [2, 1, 517, 511] has as many partial sums
  ...full ? [[[4, 4, 370, 370], "nhwc"]] as const : [],
  [[3, 5, 61, 17], "nchw"],
  [[2, 1, 517, 511], "nchw"],
  [[2100, 136], "nhwc"],
];
const EPSILON = 1e-5;

/** Returns the sum of `value(i)` over the elements of each channel. */
function sums(shape: Shape, value: (element: number, channel: number) => number): Float64Array {
  const channels = shape[1]!;
  const pixels = sizeOf(shape.slice(2));
  const sum = new Float64Array(channels);
  for (let i = 0; i < sizeOf(shape); i++) {
    const c = Math.floor(i / pixels) % channels;
    sum[c]! += value(i, c);
  }
  return sum;
}

/** Largest number of elements in f16, whose sums are f32 from the first partial sum on, as with f32. */
const MAX_F16 = 400_000;

for (const dtype of ["f32", "f16"] as const) {
  const close = dtype === "f32" ? 2e-5 : 2e-3;
  const cases = dtype === "f32" ? sampled(CASES, 4) : sampled(CASES.filter(([shape]) => sizeOf(shape) <= MAX_F16), 2);
  for (const [shape, images] of cases) {
    const title = `[${shape}] in ${images === "nchw" ? "NCHW" : "NHWC"}, ${dtype}`;
    const channels = shape[1]!;
    const rows = sizeOf(shape) / channels;
    const channelOf = (i: number) => Math.floor(i / sizeOf(shape.slice(2))) % channels;
    const draw = (seed: number, offset = 0) => rounded(normals(sizeOf(shape), seed).map((v) => v + offset), dtype);

    Deno.test(`batch_norm with a residual and ReLU matches the reference: ${title}`, async () => {
      const graph = new Graph("train", images);
      const like = (name: string) => graph.leaf("input", name, activation(shape, dtype, images));
      const ofChannels = (name: string) => graph.leaf("state", name, rowMajor([channels], "f32"));
      const [x, residual, dy] = [like("x"), like("residual"), like("dy")];
      const [gamma, beta, runningMean, runningVariance] = ["gamma", "beta", "mean", "variance"].map(ofChannels) as [
        Tensor,
        Tensor,
        Tensor,
        Tensor,
      ];
      const y = batchNorm(x, { gamma, beta, runningMean, runningVariance, residual }, {
        epsilon: EPSILON,
        momentum: 1,
        activation: "relu",
      });
      const gradients = differentiate(y, dy, [x, gamma, beta, residual], add) as Tensor[];
      const values = {
        x: draw(1, 3),
        residual: draw(2),
        dy: draw(3),
        gamma: normals(channels, 4),
        beta: normals(channels, 5),
      };
      const by = statistics(values.x, shape);
      const inverse = by.variance.map((v) => 1 / Math.sqrt(v + EPSILON));
      const expected = normalise(values.x, shape, by, { ...values, epsilon: EPSILON, activation: "relu" });
      // If y is close to 0, rounding decides whether the gradient passes
      const before = normalise(values.x, shape, by, { ...values, epsilon: EPSILON, activation: "none" });
      before.forEach((v, i) => {
        if (Math.abs(v) < 1e-3) values.dy[i] = 0;
      });
      const d = values.dy.map((v, i) => expected[i]! > 0 ? v : 0);
      const scaled = values.x.map((v, i) => (v - by.mean[channelOf(i)]!) * inverse[channelOf(i)]!);
      const dbeta = sums(shape, (i) => d[i]!);
      const dgamma = sums(shape, (i) => d[i]! * scaled[i]!);
      const dx = d.map((v, i) => {
        const c = channelOf(i);
        return values.gamma[c]! * inverse[c]! * (v - dbeta[c]! / rows - scaled[i]! * dgamma[c]! / rows);
      });
      const leaves = new Map<string, Values>([
        ...Object.entries(values),
        ["mean", new Float64Array(channels)],
        ["variance", new Float64Array(channels)],
      ]);
      await everyCandidate(async (options, where) => {
        const got = await evaluate([y, runningMean, runningVariance, ...gradients], leaves, options);
        assertClose(got[0]!, expected, close, `y, ${where}`);
        assertClose(got[1]!, by.mean, 1e-5, `mean, ${where}`);
        assertClose(got[2]!, by.variance.map((v) => v * rows / (rows - 1)), 1e-5, `variance, ${where}`);
        assertClose(got[3]!, dx, close, `dx, ${where}`);
        assertClose(got[4]!, dgamma, 2e-5, `dgamma, ${where}`, Math.sqrt(rows));
        assertClose(got[5]!, dbeta, 2e-5, `dbeta, ${where}`, Math.sqrt(rows));
        assertClose(got[6]!, d, 0, `dresidual, ${where}`);
      });
    });

    Deno.test(`gradients of a bias, alone and fused with an activation, match the reference: ${title}`, async () => {
      const graph = new Graph("train", images);
      const type = activation(shape, dtype, images);
      const [dy, y] = [graph.leaf("input", "dy", type), graph.leaf("input", "y", type)];
      const bias = rowMajor([channels], "f32");
      const { dz, db } = activationGrad(dy, y, reluOp.derivative({}), bias);
      const alone = biasGrad(dy, bias);
      const values = { dy: draw(3), y: draw(4) };
      const expected = values.dy.map((v, i) => values.y[i]! > 0 ? v : 0);
      await everyCandidate(async (options, where) => {
        const got = await evaluate([dz, db!, alone], new Map<string, Values>(Object.entries(values)), options);
        assertClose(got[0]!, expected, 0, `dz, ${where}`);
        assertClose(got[1]!, sums(shape, (i) => expected[i]!), 1e-5, `db, ${where}`, Math.sqrt(rows));
        assertClose(got[2]!, sums(shape, (i) => values.dy[i]!), 1e-5, `db alone, ${where}`, Math.sqrt(rows));
      });
    });
  }
}
