import assert from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { applyLoss, crossEntropy, lossSchema, meanSquaredError } from "../../runtime/nn/losses.ts";
import { adam, adamW, optimizerSchema, sgd } from "../../runtime/nn/optimizers.ts";
import { refuses } from "./building.ts";

Deno.test("losses and optimizers are plain records that their schemas accept", () => {
  for (const spec of [crossEntropy(), crossEntropy({ labelSmoothing: 0.1 }), meanSquaredError()]) {
    assert.deepEqual(lossSchema.parse(spec), spec);
  }
  for (
    const spec of [sgd({ learningRate: 0.1 }), sgd({ learningRate: 1, momentum: 0.9, nesterov: true }), adam(), adamW()]
  ) {
    assert.deepEqual(optimizerSchema.parse(spec), spec);
    // the factories and the schemas have the same defaults
    assert.deepEqual(
      optimizerSchema.parse({ kind: spec.kind, learningRate: spec.learningRate, ...nesterov(spec) }),
      spec,
    );
  }
  assert.equal(adam().weightDecay, 0);
  assert.equal(adamW().weightDecay, 0.01);
});

function nesterov(spec: object) {
  return "nesterov" in spec && spec.nesterov ? { momentum: 0.9, nesterov: true } : {};
}

Deno.test("optimizers: bounds", () => {
  const refused = (spec: unknown) => assert.equal(optimizerSchema.safeParse(spec).success, false, JSON.stringify(spec));
  refused({ kind: "sgd" });
  refused({ kind: "sgd", learningRate: -1 });
  refused({ kind: "sgd", learningRate: NaN });
  refused({ kind: "sgd", learningRate: 1, momentum: 1 });
  refused({ kind: "sgd", learningRate: 1, nesterov: true });
  refused({ kind: "adam", beta1: 1 });
  refused({ kind: "adam", epsilon: 0 });
  refused({ kind: "adam", amsgrad: true });
  refused({ kind: "rmsprop" });
});

Deno.test("applyLoss adds one layer, and names both shapes where they do not fit", () => {
  const graph = new Graph();
  const logits = graph.leaf("input", "input", rowMajor([4, 10], "f32"));
  const labels = graph.leaf("target", "target", rowMajor([4], "i32"));
  const loss = applyLoss(crossEntropy(), logits, labels);
  assert.deepEqual(loss.shape, [1]);
  assert.deepEqual([loss.node.id, loss.node.layer], ["loss", "loss"]);
  refuses(() => applyLoss(meanSquaredError(), logits, labels), /^model: layer "loss(_1)?": /);
  const wrong = graph.leaf("target", "wrong", rowMajor([5], "i32"));
  refuses(() => applyLoss(crossEntropy(), logits, wrong), /\[4, 10\].*i32\[4\].*i32\[5\]/);
});
