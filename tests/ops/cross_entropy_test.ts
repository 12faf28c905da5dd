import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { crossEntropy, type CrossEntropyAttrs } from "../../ops/cross_entropy.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { full, sampled } from "../support/full.ts";
import { assertClose, checkOp, everyCandidate, normals, type Values } from "../support/op_case.ts";
import { crossEntropy as reference } from "../support/reference/losses.ts";
import { Tape, Value } from "../support/reference/value.ts";
import { refuses } from "../support/refuses.ts";

function targets(n: number, classes: number): number[] {
  const random = new RandomStream(3);
  return Array.from({ length: n }, () => random.below(classes));
}

Deno.test("cross_entropy and its gradient match the reference", async () => {
  const sizes = [[1, 1], [1, 5], [3, 10], [7, 4], [33, 13], [1000, 3], [4099, 2], [5, 1000], [3, 1501]] as const;
  for (const [i, [n, classes]] of sizes.entries()) {
    for (const labelSmoothing of full ? [0, 0.1] : [i % 2 === 0 ? 0 : 0.1]) {
      await checkOp({
        name: `${n} rows of ${classes} classes, smoothing ${labelSmoothing}`,
        inputs: {
          logits: { shape: [n, classes], values: normals(n * classes, 1).map((x) => 3 * x) },
          target: { shape: [n], dtype: "i32", values: targets(n, classes) },
        },
        build: ({ logits, target }) => crossEntropy(logits, target, { labelSmoothing }),
        reference: ({ logits, target }) =>
          reference(new Tape(), Value.from([target.length, classes], logits), Int32Array.from(target), labelSmoothing)
            .data,
        samples: 12,
      });
    }
  }
});

/** Returns the loss by the definition in PyTorch's documentation of `CrossEntropyLoss`, with mean reduction. */
function weightedMean(logits: Values, targets: Values, classes: number, options: CrossEntropyAttrs): number {
  const { labelSmoothing, ignoreIndex, weight } = options;
  const w = (k: number) => weight?.[k] ?? 1;
  let [nll, smooth, total] = [0, 0, 0];
  for (let row = 0; row < targets.length; row++) {
    const y = targets[row]!;
    if (y === ignoreIndex) continue;
    const x = Array.from({ length: classes }, (_, k) => logits[row * classes + k]!);
    const logSum = Math.log(x.reduce((sum, v) => sum + Math.exp(v), 0));
    total += w(y);
    nll += w(y) * (logSum - x[y]!);
    x.forEach((v, k) => smooth += w(k) * (logSum - v));
  }
  return (1 - labelSmoothing) * nll / total + labelSmoothing / classes * smooth / total;
}

Deno.test("cross_entropy weighs classes and skips ignored targets, and so does its gradient", async () => {
  const sizes = [[7, 4], [33, 13], [1000, 3], [5, 1000]] as const;
  const cases = sizes.flatMap(([n, classes]) =>
    [0, 0.1].flatMap((labelSmoothing) => [false, true].map((weighted) => ({ n, classes, labelSmoothing, weighted })))
  );
  for (const { n, classes, labelSmoothing, weighted } of sampled(cases, 6)) {
    const weight = weighted ? Array.from({ length: classes }, (_, k) => 0.25 + k % 3) : null;
    const options = { labelSmoothing, ignoreIndex: 2, weight };
    await checkOp({
      name: `${n} rows of ${classes} classes, ${JSON.stringify({ labelSmoothing, weighted })}`,
      inputs: {
        logits: { shape: [n, classes], values: normals(n * classes, 1).map((x) => 3 * x) },
        target: { shape: [n], dtype: "i32", values: targets(n, classes) },
      },
      build: ({ logits, target }) => crossEntropy(logits, target, options),
      reference: ({ logits, target }) => [weightedMean(logits, target, classes, options)],
      samples: 12,
    });
  }
});

Deno.test("cross_entropy takes a target for each token, and for each pixel of images", async () => {
  const options = { labelSmoothing: 0.1, ignoreIndex: 1, weight: [1, 2, 0.5, 3, 1] };
  await checkOp({
    name: "tokens",
    inputs: { logits: { shape: [3, 4, 5] }, target: { shape: [3, 4], dtype: "i32", values: targets(12, 5) } },
    build: ({ logits, target }) => crossEntropy(logits, target, options),
    reference: ({ logits, target }) => [weightedMean(logits, target, 5, options)],
  });
  await checkOp({
    name: "pixels",
    inputs: { logits: { shape: [2, 5, 3, 2] }, target: { shape: [2, 3, 2], dtype: "i32", values: targets(12, 5) } },
    build: ({ logits, target }) => crossEntropy(logits, target, options),
    reference: ({ logits, target }) => {
      const rows = Array.from(
        { length: 12 },
        (_, row) => Array.from({ length: 5 }, (_, k) => logits[(Math.floor(row / 6) * 5 + k) * 6 + row % 6]!),
      ).flat();
      return [weightedMean(rows, target, 5, options)];
    },
  });
});

Deno.test("cross_entropy of ignored targets alone is NaN, as in PyTorch, and their gradient is 0", async () => {
  const { loss, gradient } = lossGraph(2, 3);
  const leaves = new Map<string, Values>([["logits", normals(6, 1)], ["target", [-100, -100]]]);
  await everyCandidate(async (options, where) => {
    const [got, dx] = await evaluate([loss, gradient], leaves, options);
    assert.ok(Number.isNaN(got![0]), where);
    assert.deepEqual([...dx!], [0, 0, 0, 0, 0, 0], where);
  });
});

function lossGraph(n: number, classes: number) {
  const graph = new Graph();
  const logits = graph.leaf("input", "logits", rowMajor([n, classes], "f32"));
  const target = graph.leaf("input", "target", rowMajor([n], "i32"));
  const loss = crossEntropy(logits, target);
  const [gradient] = differentiate(loss, graph.lossScale(), [logits], add) as [Tensor];
  return { loss, gradient };
}

Deno.test("cross_entropy is stable for large logits", async () => {
  const { loss, gradient } = lossGraph(2, 3);
  const leaves = new Map([["logits", [1e4, 0, -1e4, -1e30, 1e30, 1e30]], ["target", [0, 1]]]);
  await everyCandidate(async (options, where) => {
    const [got, dx] = await evaluate([loss, gradient], leaves, options);
    assertClose(got!, [Math.log(2) / 2], 1e-6, where);
    assertClose(dx!, [0, 0, 0, 0, -0.25, 0.25], 1e-6, where);
  });
});

Deno.test("cross_entropy scales its gradient by the gradient of the loss", async () => {
  const { gradient } = lossGraph(3, 5);
  const leaves = new Map<string, ArrayLike<number>>([["logits", normals(15, 1)], ["target", [0, 3, 4]]]);
  const [once] = await evaluate([gradient], leaves);
  const [scaled] = await evaluate([gradient], new Map<string, ArrayLike<number>>([...leaves, ["@lossScale", [1024]]]));
  assertClose(scaled!, once!.map((x) => x * 1024), 1e-6, "scaled");
});

Deno.test("cross_entropy clamps a class out of range to the nearest class", async () => {
  const { loss, gradient } = lossGraph(2, 3);
  const logits = normals(6, 1);
  const run = (target: number[]) =>
    evaluate([loss, gradient], new Map<string, ArrayLike<number>>([["logits", logits], ["target", target]]));
  assert.deepEqual(await run([-7, 2 ** 31 - 1]), await run([0, 2]));
});

Deno.test("cross_entropy is f32 for logits of any type", () => {
  const graph = new Graph();
  const logits = graph.leaf("input", "x", rowMajor([2, 3], "f16"));
  assert.equal(crossEntropy(logits, graph.leaf("input", "t", rowMajor([2], "i32"))).dtype, "f32");
});

Deno.test("cross_entropy rejects wrong logits, targets and label smoothing", () => {
  const graph = new Graph();
  const logits = graph.leaf("input", "x", rowMajor([4, 3], "f32"));
  const images = graph.leaf("input", "images", activation([4, 3, 2, 2], "f32"));
  const target = graph.leaf("input", "t", rowMajor([4], "i32"));
  const few = graph.leaf("input", "few", rowMajor([3], "i32"));
  refuses(
    () => crossEntropy(images, target),
    /i32\[4, 2, 2\], got i32\[4\]; for one class per sample, flatten or pool/,
  );
  refuses(() => crossEntropy(logits, few), /i32\[4\], got i32\[3\]/);
  refuses(() => crossEntropy(logits, logits), /one class index per row/);
  refuses(() => crossEntropy(logits, target, { labelSmoothing: 1 }), /labelSmoothing/);
  refuses(() => crossEntropy(logits, target, { weight: [1, 2] }), /each of the 3 classes.*got 2 weights/);
});
