import assert from "node:assert/strict";
import { isFloat } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { kindOf } from "../../runtime/data/kinds.ts";
import { applyLoss, applyPerSample, LOSSES, lossOf, lossSchema, type LossSpec } from "../../runtime/nn/losses.ts";
import { crossEntropy } from "../../runtime/nn/losses/cross_entropy.ts";
import { meanSquaredError } from "../../runtime/nn/losses/mean_squared_error.ts";
import { checkOp, normals, type Values } from "../support/op_case.ts";
import { settingsOf } from "./settings.ts";
import { refuses } from "../support/refuses.ts";

const SHAPES = {
  any: [] as number[][],
  classes: [[1, 5], [3, 10], [33, 13]],
  numbers: [[1], [3, 7], [2, 5, 3, 7], [3001]],
};

/** Targets between 0 and 1, or class indices. */
function targetsOf(definition: (typeof LOSSES)[number], shape: readonly number[]) {
  const random = new RandomStream(3);
  const draw = (n: number, next: () => number) => Array.from({ length: n }, next);
  return definition.targets === "classes"
    ? { shape: shape.slice(0, 1), dtype: "i32" as const, values: draw(shape[0]!, () => random.below(shape[1]!)) }
    : { shape, gradient: false, values: draw(sizeOf(shape), () => random.below(1024) / 1024) };
}

function rowOf(values: Float64Array, row: number, rows: number): Float64Array {
  const width = values.length / rows;
  return values.subarray(row * width, (row + 1) * width);
}

/** Loss and weight of each sample in f64, by the host form. */
function hostLosses(spec: LossSpec, n: number, output: Values, target: Values) {
  const [x, t] = [Float64Array.from(output), Float64Array.from(target)];
  return Array.from({ length: n }, (_, row) => lossOf(spec).ofSample!(spec, rowOf(x, row, n), rowOf(t, row, n)));
}

function hostMean(spec: LossSpec, n: number, output: Values, target: Values): number {
  const scores = hostLosses(spec, n, output, target);
  return scores.reduce((sum, { loss }) => sum + loss, 0) / scores.reduce((sum, { weight }) => sum + weight, 0);
}

for (const definition of LOSSES) {
  Deno.test(`${kindOf(definition)}: value and gradient on the device are those of its host form`, async () => {
    for (const spec of settingsOf<(typeof definition)["schema"]>(definition.schema) as LossSpec[]) {
      for (const shape of SHAPES[definition.targets]) {
        await checkOp({
          name: `${JSON.stringify(spec)} of ${shape}`,
          inputs: {
            output: { shape, values: normals(sizeOf(shape), 1).map((x) => 3 * x) },
            target: targetsOf(definition, shape),
          },
          build: ({ output, target }) => applyLoss(spec, output, target),
          reference: ({ output, target }) => [hostMean(spec, shape[0]!, output, target)],
          samples: 12,
        });
      }
    }
  });

  Deno.test(`${kindOf(definition)}: the loss of each sample on the device is that of its host form`, async () => {
    for (const spec of settingsOf<(typeof definition)["schema"]>(definition.schema) as LossSpec[]) {
      for (const shape of [...SHAPES[definition.targets], [3, 1501]]) {
        await checkOp({
          name: `${JSON.stringify(spec)} of ${shape}`,
          inputs: {
            output: { shape, values: normals(sizeOf(shape), 1).map((x) => 3 * x) },
            target: targetsOf(definition, shape),
          },
          build: ({ output, target }) => applyPerSample(spec, output, target)!.loss,
          reference: ({ output, target }) => hostLosses(spec, shape[0]!, output, target).map(({ loss }) => loss),
          gradients: false,
        });
      }
    }
  });

  Deno.test(`${kindOf(definition)}: its records pass the schema, and it is f32 whatever it compares`, () => {
    for (const spec of settingsOf<(typeof definition)["schema"]>(definition.schema) as LossSpec[]) {
      assert.deepEqual(lossSchema.parse(spec), spec);
      const graph = new Graph();
      const output = graph.leaf("input", "x", rowMajor([2, 3], "f16"));
      const target = definition.targets === "classes" ? rowMajor([2], "i32") : rowMajor([2, 3], "f32");
      assert.equal(applyLoss(spec, output, graph.leaf("input", "t", target)).dtype, "f32");
    }
  });
}

Deno.test("an unknown loss is refused with the list of all", () => {
  const problem = lossSchema.safeParse({ kind: "hinge" }).error?.issues[0]?.message;
  const [, names] = problem!.match(/^expected a loss: (.*), or a function of output and target$/)!;
  assert.deepEqual(names!.split(/, | or /), LOSSES.map(({ schema }) => `${schema.shape.kind.value}()`));
});

Deno.test("applyLoss adds one layer, and names both shapes if they do not fit", () => {
  const graph = new Graph();
  const logits = graph.leaf("input", "input", rowMajor([4, 10], "f32"));
  const labels = graph.leaf("input", "target", rowMajor([4], "i32"));
  const loss = applyLoss(crossEntropy(), logits, labels);
  assert.deepEqual(loss.shape, [1]);
  assert.deepEqual([loss.node.id, loss.node.layer], ["loss", "loss"]);
  refuses(() => applyLoss(meanSquaredError(), logits, labels), /^model: layer "loss(_1)?": /);
  const wrong = graph.leaf("input", "wrong", rowMajor([5], "i32"));
  refuses(() => applyLoss(crossEntropy(), logits, wrong), /\[4, 10\].*i32\[4\].*i32\[5\]/);
  const numbers = graph.leaf("input", "numbers", rowMajor([4, 3], "f32"));
  assert.ok(isFloat(numbers.dtype));
  refuses(() => applyLoss(meanSquaredError(), logits, numbers), /of the same shape, got \[4, 10\] and \[4, 3\]/);
});

Deno.test("samples have no loss if the loss does not accept the target", () => {
  const graph = new Graph();
  const output = graph.leaf("input", "output", rowMajor([4, 3], "f32"));
  const labels = graph.leaf("input", "labels", rowMajor([4], "i32"));
  const numbers = graph.leaf("input", "numbers", rowMajor([4, 3], "f32"));
  const few = graph.leaf("input", "few", rowMajor([4, 2], "f32"));
  assert.equal(applyPerSample(crossEntropy(), output, numbers), null);
  assert.equal(applyPerSample(meanSquaredError(), output, labels), null);
  assert.equal(applyPerSample(meanSquaredError(), output, few), null);
  assert.deepEqual(applyPerSample(meanSquaredError(), output, numbers)!.loss.shape, [4]);
});
