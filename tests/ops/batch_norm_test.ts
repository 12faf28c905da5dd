import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { batchNorm, type BatchNormAttrs, batchNormOp } from "../../ops/batch_norm.ts";
import { relu } from "../../ops/relu.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Mode, Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { full, fullTest, sampled } from "../support/full.ts";
import { assertClose, checkOp, everyCandidate, normals, type Values } from "../support/op_case.ts";
import { normalise, type Statistics, statistics } from "../support/reference.ts";
import { refuses } from "../support/refuses.ts";

const EPSILON = 1e-5;

/** Multiples of four channels and other numbers; fewer rows than lanes, and more. */
const SHAPES: readonly Shape[] = [[2, 3], [33, 13], [7, 12], [37, 24], [2, 5, 3, 7], [3, 8, 5, 5], [1, 1, 13, 33], [
  4,
  16,
  9,
  8,
], [3, 16, 32, 33]];

/** Shapes that every variant has in f32 and f16. One variant has more, since variants differ in their last lines. */
const FEW_SHAPES = sampled(SHAPES, 2);
const MORE_SHAPES = sampled(SHAPES, 3);

const VARIANTS = [
  { name: "plain", activation: "none", residual: false },
  { name: "relu", activation: "relu", residual: false },
  { name: "residual", activation: "none", residual: true },
  { name: "residual and relu", activation: "relu", residual: true },
] as const;

function inputs(shape: Shape, residual: boolean) {
  const channels = [shape[1]!];
  return {
    x: { shape },
    gamma: { shape: channels, dtype: "f32" },
    beta: { shape: channels, dtype: "f32" },
    mean: { shape: channels, dtype: "f32", gradient: false },
    variance: {
      shape: channels,
      dtype: "f32",
      gradient: false,
      values: normals(channels[0]!, 4).map((x) => 1 + x * x),
    },
    residual: residual ? { shape } : { shape, gradient: false },
  } as const;
}

type Inputs<T> = Record<keyof ReturnType<typeof inputs>, T>;

function build(tensors: Inputs<Tensor>, variant: (typeof VARIANTS)[number]): Tensor {
  const { x, gamma, beta, mean, variance, residual } = tensors;
  const parameters = { gamma, beta, runningMean: mean, runningVariance: variance };
  return batchNorm(x, variant.residual ? { ...parameters, residual } : parameters, {
    epsilon: EPSILON,
    momentum: 0.1,
    activation: variant.activation,
  });
}

function reference(shape: Shape, values: Inputs<Values>, by: Statistics, variant: (typeof VARIANTS)[number]): Values {
  return normalise(values.x, shape, by, {
    gamma: values.gamma,
    beta: values.beta,
    residual: variant.residual ? values.residual : undefined,
    epsilon: EPSILON,
    activation: variant.activation,
  });
}

for (const variant of VARIANTS) {
  Deno.test(`batch_norm in training and its gradient match the reference: ${variant.name}`, async () => {
    for (const shape of variant.name === "plain" ? MORE_SHAPES : FEW_SHAPES) {
      await checkOp({
        name: `${shape}`,
        inputs: inputs(shape, variant.residual),
        build: (tensors) => build(tensors, variant),
        reference: (values) => reference(shape, values, statistics(values.x, shape), variant),
        // Any two rows normalise to +1 and -1, so dx is nothing but rounding error
        tolerance: shape[0] === 2 && shape.length === 2 ? { f32: 1e-3, f16: 1e-2 } : { f32: 1e-5 },
        dtypes: FEW_SHAPES.includes(shape) && (full || !variant.name.startsWith("res")) ? ["f32", "f16"] : ["f32"],
        floor: 1,
        samples: sizeOf(shape) > 10_000 ? 6 : 24,
        step: variant.activation === "relu" ? 1e-6 : 2e-5,
      });
    }
  });

  const inferred = variant.name === "plain" || variant.name === "residual and relu" ? Deno.test : fullTest;
  inferred(`batch_norm in inference matches the reference: ${variant.name}`, async () => {
    for (const shape of variant.name === "residual and relu" ? MORE_SHAPES : FEW_SHAPES) {
      await checkOp({
        name: `${shape}`,
        mode: "infer",
        inputs: inputs(shape, false),
        gradients: false,
        dtypes: FEW_SHAPES.includes(shape) ? ["f32", "f16"] : ["f32"],
        build: (tensors) => build(tensors, variant),
        reference: (values) => {
          const by = { mean: Float64Array.from(values.mean), variance: Float64Array.from(values.variance) };
          return reference(shape, values, by, variant);
        },
      });
    }
  });
}

interface Run {
  readonly shape: Shape;
  readonly x: Values;
  readonly momentum?: number;
  readonly types?: { readonly x: FloatType; readonly parameters: FloatType; readonly running: FloatType };
}

/** Builds a graph with one batch norm in training and returns it with the values of its leaves. */
function trained({ shape, x: values, momentum = 0.1, types }: Run) {
  const channels = shape[1]!;
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation(shape, types?.x ?? "f32"));
  const leaf = (name: string, dtype: FloatType) => graph.leaf("state", name, rowMajor([channels], dtype));
  const gamma = leaf("gamma", types?.parameters ?? "f32");
  const beta = leaf("beta", "f32");
  const runningMean = leaf("mean", types?.running ?? "f32");
  const runningVariance = leaf("variance", types?.running ?? "f32");
  const y = batchNorm(x, { gamma, beta, runningMean, runningVariance }, { momentum });
  const leaves = new Map<string, Values>([
    ["x", values],
    ["gamma", new Array(channels).fill(1.5)],
    ["beta", new Array(channels).fill(0.25)],
    ["mean", new Array(channels).fill(2)],
    ["variance", new Array(channels).fill(3)],
  ]);
  return { graph, x, gamma, beta, runningMean, runningVariance, y, leaves };
}

Deno.test("batch_norm updates the running values with the momentum and the unbiased variance", async () => {
  for (const shape of [[3, 5], [2, 8, 5, 7]]) {
    const x = normals(sizeOf(shape), 5);
    const { runningMean, runningVariance, y, leaves } = trained({ shape, x, momentum: 0.3 });
    const { mean, variance } = statistics(Float32Array.from(x), shape);
    const rows = sizeOf(shape) / shape[1]!;
    await everyCandidate(async (options, where) => {
      const [, gotMean, gotVariance] = await evaluate([y, runningMean, runningVariance], leaves, options);
      assertClose(gotMean!, mean.map((m) => 0.7 * 2 + 0.3 * m), 1e-6, `mean, ${where}`);
      const moved = variance.map((v) => 0.7 * 3 + 0.3 * v * rows / (rows - 1));
      assertClose(gotVariance!, moved, 1e-6, `variance, ${where}`);
    });
  }
});

Deno.test("batch_norm keeps its precision for a large mean", async () => {
  for (const shape of [[4, 8, 33, 33], [512, 3]]) {
    const x = Float32Array.from(normals(sizeOf(shape), 6), (v) => 1000 + v);
    const { gamma, beta, runningVariance, y, x: input, leaves } = trained({ shape, x, momentum: 1 });
    const by = statistics(x, shape);
    const expected = normalise(x, shape, by, {
      gamma: leaves.get("gamma")!,
      beta: leaves.get("beta")!,
      epsilon: EPSILON,
      activation: "none",
    });
    const rows = sizeOf(shape) / shape[1]!;
    const dy = input.graph.leaf("input", "dy", y.type);
    const [dgamma, dbeta] = differentiate(y, dy, [gamma, beta], add) as [Tensor, Tensor];
    const dyValues = Float32Array.from(normals(sizeOf(shape), 8));
    const sums = [new Float64Array(shape[1]!), new Float64Array(shape[1]!)] as const;
    const pixels = sizeOf(shape.slice(2));
    dyValues.forEach((d, i) => {
      const c = Math.floor(i / pixels) % shape[1]!;
      sums[0][c]! += d * (x[i]! - by.mean[c]!) / Math.sqrt(by.variance[c]! + EPSILON);
      sums[1][c]! += d;
    });
    await everyCandidate(async (options, where) => {
      const got = await evaluate([y, runningVariance, dgamma, dbeta], new Map([...leaves, ["dy", dyValues]]), options);
      // One unit in the last place of 1000 is 6e-5
      assertClose(got[0]!, expected, 3e-5, `y, ${where}`);
      assertClose(got[1]!, by.variance.map((v) => v * rows / (rows - 1)), 1e-5, `variance, ${where}`);
      assertClose(got[2]!, sums[0], 1e-4, `dgamma, ${where}`);
      assertClose(got[3]!, sums[1], 1e-5, `dbeta, ${where}`);
    });
  }
});

Deno.test("batch_norm keeps its precision with an outlier in the first row", async () => {
  const shape = [64, 4, 16, 16];
  const x = Float32Array.from(normals(sizeOf(shape), 6));
  for (let c = 0; c < 4; c++) x[c * 256] = 3000;
  const { runningVariance, y, leaves } = trained({ shape, x, momentum: 1 });
  const rows = sizeOf(shape) / 4;
  const expected = statistics(x, shape).variance.map((v) => v * rows / (rows - 1));
  await everyCandidate(async (options, where) => {
    const [, variance] = await evaluate([y, runningVariance], leaves, options);
    // A naive sum of squares would have an error of about 1e-2
    assertClose(variance!, expected, 1e-3, where);
  });
});

Deno.test("batch_norm accepts each tensor in f16 or f32", async () => {
  const shape = [3, 8, 5, 3];
  const x = Float16Array.from(normals(sizeOf(shape), 5));
  const expected = statistics(Float64Array.from(x), shape);
  for (const xType of ["f16", "f32"] as const) {
    for (const parameters of ["f16", "f32"] as const) {
      for (const running of ["f16", "f32"] as const) {
        const halves = [xType, parameters, running].filter((dtype) => dtype === "f16").length;
        if (!full && halves % 2 === 0) continue; // the others have all pairs
        const run = trained({ shape, x: Float64Array.from(x), momentum: 1, types: { x: xType, parameters, running } });
        const dy = run.graph.leaf("input", "dy", run.y.type);
        const gradients = differentiate(run.y, dy, [run.x, run.gamma, run.beta], add) as Tensor[];
        assert.deepEqual(gradients.map((t) => t.dtype), [xType, parameters, "f32"]);
        const leaves = new Map([...run.leaves, ["dy", x]]);
        const [mean, dx, dgamma, dbeta] = await evaluate([run.runningMean, ...gradients, run.y], leaves);
        assertClose(mean!, expected.mean, running === "f16" ? 1e-3 : 1e-5, `mean, ${xType}, ${parameters}, ${running}`);
        assert.ok([dx, dgamma, dbeta].every((values) => values!.every(Number.isFinite)));
      }
    }
  }
});

Deno.test("batch_norm fused with residual and ReLU equals the separate ops bit for bit", async () => {
  for (const [shape, residual] of [[[2, 8, 7, 5], true], [[3, 5, 3, 3], true], [[2, 12, 5, 5], false]] as const) {
    const one = composed(shape, residual, true);
    const other = composed(shape, residual, false);
    const leaves = new Map<string, Values>([
      ["x", normals(sizeOf(shape), 1)],
      ["residual", normals(sizeOf(shape), 2)],
      ["dy", normals(sizeOf(shape), 3)],
      ["gamma", normals(shape[1], 4)],
      ["beta", normals(shape[1], 5)],
      ["mean", new Float64Array(shape[1])],
      ["variance", new Float64Array(shape[1])],
    ]);
    assert.deepEqual(await evaluate(one, leaves), await evaluate(other, leaves));
  }
});

/** Returns y and the gradients of x, gamma, beta and the residual, from the fused op or from separate ops. */
function composed(shape: Shape, withResidual: boolean, fused: boolean): Tensor[] {
  const graph = new Graph();
  const leaf = (name: string, shape: Shape) => graph.leaf("input", name, activation(shape, "f32"));
  const x = leaf("x", shape);
  const residual = leaf("residual", shape);
  const [gamma, beta, runningMean, runningVariance] = ["gamma", "beta", "mean", "variance"].map((name) =>
    leaf(name, [shape[1]!])
  ) as [Tensor, Tensor, Tensor, Tensor];
  const tensors = { gamma, beta, runningMean, runningVariance };
  const y = fused
    ? batchNorm(x, withResidual ? { ...tensors, residual } : tensors, { activation: "relu" })
    : relu(withResidual ? add(batchNorm(x, tensors), residual) : batchNorm(x, tensors));
  const wrt = [x, gamma, beta, ...(withResidual ? [residual] : [])];
  return [y, ...differentiate(y, leaf("dy", shape), wrt, add) as Tensor[]];
}

Deno.test("batch_norm adds no nodes for unused gradients", () => {
  const { graph, y, beta } = trained({ shape: [2, 3], x: [] });
  const dy = graph.leaf("input", "dy", y.type);
  assert.equal(differentiate(y, dy, [graph.leaf("input", "other", rowMajor([1], "f32"))], add)[0], null);
  assert.ok(graph.nodes.every((node) => node.phase === "forward"));
  assert.deepEqual(differentiate(y, dy, [beta], add)[0]!.shape, [3]);
});

Deno.test("batch_norm rejects wrong channels, ranks, batches and attributes", () => {
  const refused = (
    shape: Shape,
    channels: number,
    message: RegExp,
    attrs: Partial<BatchNormAttrs> = {},
    mode?: Mode,
  ) => {
    const graph = new Graph(mode);
    const leaf = (name: string) => graph.leaf("state", name, rowMajor([channels], "f32"));
    const tensors = {
      gamma: leaf("gamma"),
      beta: leaf("beta"),
      runningMean: leaf("mean"),
      runningVariance: leaf("variance"),
    };
    refuses(() => batchNorm(graph.leaf("input", "x", activation(shape, "f32")), tensors, attrs), message);
  };
  refused([2, 3, 4, 4], 4, /one value for each of the 3 channels of \[2, 3, 4, 4\], got \[4\]/);
  refused([2, 3, 4], 3, /expects \[n, c\] or \[n, c, h, w\]/);
  refused([1, 3], 3, /more than one value per channel in training/);
  refused([2, 3], 3, /momentum from 0 to 1, got 2/, { momentum: 2 });
  refused([2, 3], 3, /epsilon of at least 0, got -1/, { epsilon: -1 }, "infer");
});

Deno.test("batch_norm binds at most 8 buffers, which every adapter grants", () => {
  const { graph } = trained({ shape: [2, 4, 3, 3], x: [] });
  const node = graph.nodes.find((node) => node.op.type === batchNormOp.type)!;
  assert.deepEqual(node.op.mutates, [3, 4]);
  const outputs = composed([2, 4, 3, 3], true, true);
  for (const { op, attrs, inputs, outputs: types } of outputs[0]!.graph.nodes) {
    const plans = op.candidates({
      attrs,
      inputs: inputs.map((input) => input.type),
      outputs: types,
      traits: DEFAULT_TRAITS,
      randomKey: 0,
    });
    for (const kernel of plans.flatMap((plan) => plan.kernels)) assert.ok(kernel.bindings.length <= 8, kernel.name);
  }
});
