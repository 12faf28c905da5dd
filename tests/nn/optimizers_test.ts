import assert from "node:assert/strict";
import { adam, adamW, optimizerSchema, sgd } from "../../runtime/nn/optimizers.ts";

Deno.test("optimizers are plain records that their schemas accept", () => {
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
