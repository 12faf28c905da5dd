/** Values, gradients and compilation of a script's own ops. */
import assert from "node:assert/strict";
import {
  add,
  cast,
  checkGradient,
  conv2d,
  createTrainer,
  defineOp,
  flatten,
  InputError,
  layer,
  linear,
  mul,
  relu,
  sequential,
  sum,
  type Tensor,
} from "../../../mod.ts";
import { reshape } from "../../../ops/reshape.ts";
import { fusedSwiglu } from "../../../examples/07_own_op.ts";
import { compileVariant } from "../../../runtime/compile/variant.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { DEFAULT_TRAITS } from "../../../runtime/device/traits.ts";
import { tuningTasks } from "../../../runtime/engine/tuning/tasks.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { evaluate } from "../../support/evaluate.ts";
import { classified, small } from "../../trainer/models.ts";

const squareplus = defineOp({
  type: "squareplus",
  inputs: ["x", "b"],
  value: "0.5 * (x + sqrt(x * x + b))",
  flops: 5,
  gradients: { x: { value: "dy * 0.5 * (1.0 + x / sqrt(x * x + b))", flops: 7 }, b: null },
});

/** Means and sums of squares of rows, in two passes with scratch memory between them. */
const rowMoments = defineOp({
  type: "row_moments",
  inputs: ["x"],
  outputs: ["mean", "squares"],
  options: { scale: 1 },
  shape: ({ x }) => ({ mean: x.shape.slice(0, -1), squares: { shape: x.shape.slice(0, -1), dtype: "f32" } }),
  cost: ({ x }) => ({ flops: 3 * x.size, bytes: 4 * x.size }),
  precision: "wide",
  gradient: ({ inputs: { x }, gradients: { mean, squares }, options: { scale } }) => {
    const rows = (y: Tensor) => cast(reshape(y, [...y.shape, 1]), x.dtype);
    const parts = [
      ...(mean === null ? [] : [add(mul(x, 0), mul(rows(mean), scale / x.shape.at(-1)!))]),
      ...(squares === null ? [] : [mul(mul(x, 2 * scale), rows(squares))]),
    ];
    return { x: parts.reduce(add) };
  },
  kernels: [{
    name: "halves",
    scratch: ({ mean }) => ({ sums: 4 * mean.size }),
    passes: [
      {
        uniforms: ({ x, mean }) => ({ width: x.shape.at(-1)!, rows: mean.size }),
        workgroups: ({ mean }) => mean.size,
        workgroupSize: 2,
        declarations: "fn square(v: f32) -> f32 { return v * v; }",
        code: `var total = 0.0;
          var squared = 0.0;
          for (var i = lix; i < u.width; i += 2u) {
            let v = load_x(group * u.width + i);
            total += v;
            squared += square(v);
          }
          store_sums(group * 4u + lix * 2u, total);
          store_sums(group * 4u + lix * 2u + 1u, squared);`,
      },
      {
        invocations: ({ mean }) => mean.size,
        uniforms: ({ x }, { scale }) => ({ scale: { f32: scale }, inverse: { f32: scale / x.shape.at(-1)! } }),
        code: `store_mean(index, u.inverse * (load_sums(index * 4u) + load_sums(index * 4u + 2u)));
          squares[index] = u.scale * (load_sums(index * 4u + 1u) + load_sums(index * 4u + 3u));`,
      },
    ],
  }],
});

Deno.test("an elementwise op broadcasts, takes numbers, and matches its reference and its differences", async () => {
  const reference = (x: Float64Array, b: Float64Array) => x.map((v, i) => 0.5 * (v + Math.sqrt(v * v + b[i % 5]!)));
  const { kernels, derivatives } = await checkGradient(
    squareplus,
    [[3, 5], { shape: [5], values: [1, 2, 3, 4, 5] }],
    { reference, samples: 6 },
  );
  assert.ok(kernels.some((name) => name.startsWith("squareplus_grad")), `${kernels}`);
  assert.ok(derivatives >= 6, `${derivatives}`);
  const graph = new Graph();
  const y = squareplus(graph.leaf("input", "x", rowMajor([2], "f32")), 4);
  const [got] = await evaluate([y], new Map([["x", [0, 3]]]));
  assert.deepEqual([...got!].map((v) => v.toFixed(5)), ["1.00000", (0.5 * (3 + Math.sqrt(13))).toFixed(5)]);
});

Deno.test("an op with several outputs, options and passes matches its reference and its differences", async () => {
  const reference = (x: Float64Array) => {
    const row = (n: number) => x.slice(n * 7, n * 7 + 7);
    return [
      [0, 1, 2].map((n) => 3 * row(n).reduce((a, b) => a + b) / 7),
      [0, 1, 2].map((n) => 3 * row(n).reduce((a, b) => a + b * b, 0)),
    ];
  };
  const { kernels } = await checkGradient((x) => rowMoments(x, { scale: 3 }), [[3, 7]], { reference, samples: 6 });
  assert.deepEqual(kernels, ["row_moments.halves.f32", "row_moments.halves.f32-f16"]);
});

Deno.test("all kernels of the example match its differences", async () => {
  const { kernels } = await checkGradient(fusedSwiglu, [[2, 8]], { samples: 4 });
  assert.ok(
    kernels.includes("fused_swiglu.vectors.f16") && kernels.includes("fused_swiglu.elements.f32"),
    `${kernels}`,
  );
});

Deno.test("a wrong gradient and a wrong kernel are found, with the kernel and the element", async () => {
  const wrong = defineOp({
    type: "cube",
    inputs: ["x"],
    value: "x * x * x",
    flops: 2,
    gradients: { x: { value: "2.0 * dy * x * x", flops: 3 } },
  });
  const options = { samples: 4, dtypes: ["f32"] } as const;
  await assert.rejects(
    () => checkGradient(wrong, [[7]], options),
    /^InputError: checkGradient: .*cube_grad.*f32: gradient of x at element \d is -?\d.*, expected .* of the largest value/,
  );
  const mistaken = defineOp({
    type: "twice",
    inputs: ["x"],
    shape: ({ x }) => ({ y: x.shape }),
    cost: ({ y }) => y.size,
    gradient: ({ gradients: { y } }) => ({ x: mul(y, 2) }),
    kernels: [
      { name: "right", invocations: ({ y }) => y.size, code: "store_y(index, 2.0 * load_x(index));" },
      { name: "wrong", invocations: ({ y }) => y.size, code: "store_y(index, 2.1 * load_x(index));" },
    ],
  });
  await assert.rejects(
    () => checkGradient(mistaken, [[7]], options),
    /^InputError: checkGradient: twice\.wrong\.f32 \(kernels of software adapters\), f32: output 0 at element/,
  );
});

Deno.test("WGSL that does not compile is reported with the op, alone and fused", async () => {
  const broken = defineOp({ type: "broken", inputs: ["x"], value: "x + nonsense", flops: 1, gradients: { x: null } });
  const message =
    /^InputError: op "broken": kernel .* does not compile; correct the WGSL in its defineOp\. [^]*nonsense/;
  await assert.rejects(() => checkGradient(broken, [[3]]), /has no gradient for any of its inputs/);
  for (const model of [layer((x) => broken(x)), layer((x) => mul(broken(linear(5)(x)), 2))]) {
    await assert.rejects(() => createTrainer(small({ model: sequential(model, linear(3)) })), message);
  }
  await assert.rejects(
    () => createTrainer(small({ model: layer((x) => linear(3)(sum(broken(x), { axes: 1, keepDims: true }))) })),
    message,
  );
});

Deno.test("images are read in the order of n, c, h, w, and keep their layout", async () => {
  const shifted = defineOp({
    type: "shifted",
    inputs: ["x", "weight"],
    shape: ({ x }) => ({ y: x.shape }),
    cost: ({ y }) => y.size,
    gradient: ({ gradients: { y } }) => ({ x: y, weight: null }),
    kernels: [{
      name: "elements",
      uniforms: ({ x }) => ({ plane: x.size / x.shape[0]! }),
      invocations: ({ y }) => y.size,
      code: "store_y(index, load_x(index) + load_weight(index % u.plane));",
    }],
  });
  const values = (n: number) => Float64Array.from({ length: n }, (_, i) => i);
  for (const layout of ["nhwc", "nchw"] as const) {
    const graph = new Graph("train", layout);
    const x = graph.leaf("input", "x", { shape: [2, 3, 2, 2], dtype: "f32", layout });
    const weight = graph.leaf("parameter", "w", rowMajor([3, 4], "f32"));
    const y = shifted(x, weight);
    assert.equal(y.type.layout, layout);
    const [got] = await evaluate([y], new Map([["x", values(24)], ["w", values(12)]]));
    assert.deepEqual(got, values(24).map((v, i) => v + i % 12));
  }
});

Deno.test("an own op takes part in mixed precision, fusion, roofline and autotune", () => {
  const model = sequential(
    layer((x) => mul(fusedSwiglu(linear(16)(x)), 0.5)),
    layer((x) => squareplus(x, 4)),
    linear(3),
  );
  const { config } = resolveScenario(small({ model, amp: "O2" })).variants[0]!;
  const dataset = describeDataset(config.data);
  const { plan } = compileVariant(config, dataset, DEFAULT_TRAITS);
  const node = plan.nodes.find(({ type }) => type === "fused_swiglu")!;
  assert.equal(node.kernel, "fused_swiglu.vectors.f16");
  assert.deepEqual([node.flops, node.bytes, node.phase], [5 * 4 * 8, 2 * 4 * (16 + 8), "forward"]);
  assert.deepEqual(plan.nodes.find(({ type }) => type === "fused_swiglu_grad")!.phase, "backward");
  const fused = plan.nodes.find(({ members }) => members.some((id) => id.endsWith("squareplus")))!;
  assert.match(fused.kernel, /mul\.number\+squareplus/);
  const task = tuningTasks(config, dataset, DEFAULT_TRAITS).find(({ op }) => op === "fused_swiglu")!;
  assert.deepEqual(task.candidates.map(({ name }) => name), ["fused_swiglu.vectors.f16", "fused_swiglu.elements.f16"]);
});

Deno.test("the types of arguments and results follow from the definition", () => {
  const use = (x: Tensor): readonly [Tensor, Tensor, Tensor] => {
    const y: Tensor = fusedSwiglu(x);
    const [mean, squares] = rowMoments(x, { scale: 2 });
    return [y, mean, squares];
  };
  assert.equal(typeof use, "function");
  // @ts-expect-error a number is no tensor
  assert.throws(() => fusedSwiglu(3), InputError);
  // @ts-expect-error the op has one input
  assert.throws(() => fusedSwiglu(leaf(), leaf()), InputError);
  // @ts-expect-error no such option
  assert.throws(() => rowMoments(leaf(), { scal: 2 }), InputError);
  const misspelt = () =>
    defineOp({
      type: "misspelt",
      inputs: ["x"],
      // @ts-expect-error no such input
      shape: ({ z }) => ({ y: z.shape }),
      cost: () => 0,
      kernels: [{ name: "a", invocations: () => 1, code: "" }],
    });
  assert.equal(typeof misspelt, "function");
});

function leaf(): Tensor {
  return new Graph().leaf("input", "x", rowMajor([2, 2], "f32"));
}

Deno.test("a model with convolutions trains through an own op", async () => {
  const model = sequential(
    conv2d(4, { kernel: 3, padding: "same" }),
    layer((x) => squareplus(x, 1)),
    layer((x) => fusedSwiglu(x)),
    relu(),
    flatten(),
    linear(3),
  );
  await using trainer = await createTrainer(
    small({ model, data: classified([2, 4, 4], 3) }),
    { keepGradients: true },
  );
  const { loss } = await trainer.step();
  assert.ok(Number.isFinite(loss));
  const weight = (await trainer.gradients()).get("0.weight")!;
  assert.ok(weight.data.some((v) => v !== 0));
});
