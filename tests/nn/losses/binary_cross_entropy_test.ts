import assert from "node:assert/strict";
import { binaryCrossEntropy } from "../../../mod.ts";
import { add } from "../../../ops/add.ts";
import { differentiate } from "../../../runtime/graph/autograd.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import type { Tensor } from "../../../runtime/graph/op.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { applyLoss } from "../../../runtime/nn/losses.ts";
import { binaryCrossEntropyLoss } from "../../../runtime/nn/losses/binary_cross_entropy.ts";
import { evaluate } from "../../support/evaluate.ts";
import { assertClose, everyCandidate } from "../../support/op_case.ts";

const spec = binaryCrossEntropy();

Deno.test("binaryCrossEntropy: -t log(s) - (1 - t) log(1 - s) with s = sigmoid(x)", () => {
  for (const x of [-3, -0.5, 0, 1, 4]) {
    for (const t of [0, 0.25, 1]) {
      const s = 1 / (1 + Math.exp(-x));
      const wanted = -t * Math.log(s) - (1 - t) * Math.log(1 - s);
      assert.ok(Math.abs(binaryCrossEntropyLoss.ofSample(spec, [x], [t]).loss - wanted) < 1e-14, `${x}, ${t}`);
    }
  }
  // From PyTorch's documentation: logits of 1.5 against targets of 1
  assert.equal(binaryCrossEntropyLoss.ofSample(spec, [1.5, 1.5], [1, 1]).loss.toFixed(4), "0.2014");
});

Deno.test("binaryCrossEntropy: large logits neither overflow nor lose their loss", async () => {
  const graph = new Graph();
  const cases = [[1e4, 1, 0, 0], [-1e4, 1, 1e4, -1], [-1e4, 0, 0, 0], [1e30, 1, 0, 0], [
    12,
    1,
    6.1441937e-6,
    -6.144175e-6,
  ]];
  const outputs = cases.flatMap((_, i) => {
    const output = graph.leaf("input", `x${i}`, rowMajor([1], "f32"));
    const loss = applyLoss(spec, output, graph.leaf("input", `t${i}`, rowMajor([1], "f32")));
    const [gradient] = differentiate(loss, graph.lossScale(), [output], add) as [Tensor];
    return [loss, gradient];
  });
  const leaves = new Map(cases.flatMap(([x, t], i) => [[`x${i}`, [x!]], [`t${i}`, [t!]]]));
  await everyCandidate(async (options, where) => {
    const got = await evaluate(outputs, leaves, options);
    cases.forEach(([x, , loss, slope], i) => {
      assertClose(got[2 * i]!, [loss!], 1e-6, `${where}: loss at ${x}`);
      // 1 - sigmoid(12) keeps two digits of f32
      assertClose(got[2 * i + 1]!, [slope!], 1e-2, `${where}: slope at ${x}`);
    });
  });
});
