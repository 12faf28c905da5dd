import assert from "node:assert/strict";
import { randomNormal, randomNormalOp, randomUniform } from "../../ops/random.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { hashText, RandomStream } from "../../runtime/core/random.ts";
import { toLogical } from "../../runtime/core/layout.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, type ImageLayout, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate, testDevice } from "../support/evaluate.ts";
import { assertClose, everyCandidate } from "../support/op_case.ts";

type Draw = "uniform" | "normal";

function drawn(kind: Draw, shape: Shape, dtype: FloatType, images: ImageLayout): Tensor {
  const graph = new Graph("train", images);
  const x = graph.leaf("input", "x", rowMajor([1], "f32"));
  const draw = graph.scope(
    "head",
    () =>
      kind === "uniform"
        ? randomUniform(x, shape, { low: -2, high: 3 })
        : randomNormal(x, shape, { mean: 1, std: 0.5 }),
  );
  if (dtype === "f32") return draw;
  const { op, attrs, inputs } = draw.node;
  const typed = { ...attrs as object, type: activation(shape, dtype, images) };
  return graph.replay(draw.node, inputs, op, typed)[0]!;
}

/** Values in logical order, from the host's draws. */
function onHost(kind: Draw, shape: Shape, seed: number, step: number): Float64Array {
  const random = new RandomStream(seed, step, hashText(`head.random_${kind}`));
  const physical = Float64Array.from(
    { length: sizeOf(shape) },
    () => kind === "uniform" ? -2 + 5 * random.uniform() : 1 + 0.5 * random.normal(),
  );
  return toLogical(physical, shape, activation(shape, "f32").layout);
}

for (const kind of ["uniform", "normal"] as const) {
  Deno.test(`${kind} draws are the host's, in every layout and type`, async () => {
    const { traits } = await testDevice();
    const cases: [Shape, ImageLayout][] = [
      [[1], "nhwc"],
      [[7], "nhwc"],
      [[33, 13], "nhwc"],
      [[2, 5, 3, 7], "nhwc"],
      [[2, 5, 3, 7], "nchw"],
    ];
    for (const [shape, images] of cases) {
      for (const dtype of traits.f16 ? ["f32", "f16"] as const : ["f32"] as const) {
        const want = onHost(kind, shape, 5, 3);
        const y = drawn(kind, shape, dtype, images);
        await everyCandidate(async (options, where) => {
          const [got] = await evaluate([y], new Map([["x", [0]]]), { ...options, seed: 5, step: 3 });
          assertClose(got!, want, dtype === "f16" ? 1e-3 : 1e-4, `${kind} of ${shape}, ${dtype}, ${images}, ${where}`);
        });
      }
    }
  });
}

Deno.test("draws differ between steps, seeds and layers, and repeat for the same ones", async () => {
  const y = drawn("normal", [64], "f32", "nhwc");
  const other = y.graph.scope("tail", () => y.graph.apply(randomNormalOp, y.node.attrs as never, y.node.inputs)[0]!);
  const draw = async (
    tensor: Tensor,
    seed: number,
    step: number,
  ) => [...(await evaluate([tensor], new Map(), { seed, step }))[0]!];
  const first = await draw(y, 1, 0);
  assert.deepEqual(await draw(y, 1, 0), first);
  for (const [tensor, seed, step] of [[y, 1, 1], [y, 2, 0], [other, 1, 0]] as const) {
    assert.notDeepEqual(await draw(tensor, seed, step), first);
  }
});

Deno.test("normal draws have the distribution's mean and deviation", async () => {
  const n = 100_000;
  const [got] = await evaluate([drawn("normal", [n], "f32", "nhwc")], new Map());
  const mean = got!.reduce((sum, x) => sum + x, 0) / n;
  const deviation = Math.sqrt(got!.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n);
  // Five standard errors
  assert(Math.abs(mean - 1) < 5 * 0.5 / Math.sqrt(n), `${mean}`);
  assert(Math.abs(deviation - 0.5) < 5 * 0.5 / Math.sqrt(2 * n), `${deviation}`);
});

Deno.test("an empty range is refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([1], "f32"));
  assert.throws(() => randomUniform(x, [2], { low: 1, high: 1 }), InputError);
});
