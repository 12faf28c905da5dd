import assert from "node:assert/strict";
import { adam, batchNorm, conv2d, crossEntropy, dropout, flatten, linear, relu, sequential, sgd } from "../../mod.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import type { CompileOptions } from "../../runtime/compile/compile_options.ts";
import { optionsOf } from "./programs.ts";

const model = (channels = 4, p = 0.1) =>
  sequential({
    conv: conv2d(channels, { kernel: 3 }),
    bn: batchNorm(),
    relu: relu(),
    drop: dropout(p),
    flatten: flatten(),
    fc: linear(3),
  });

const scaler = { dynamic: true, growth: 2, interval: 2000, backoff: 0.5 };

function printOf(changes: Partial<CompileOptions> = {}, shape = [2, 3, 8, 8], made = model()): string {
  return compileTraining(optionsOf(made, shape, changes)).fingerprint;
}

Deno.test("a plan's fingerprint is the same in every build", () => {
  assert.match(printOf(), /^[0-9a-f]{16}$/);
  assert.equal(printOf(), printOf());
  assert.equal(printOf({}, [2, 3, 8, 8], model(4, 0.1)), printOf());
});

Deno.test("a plan's fingerprint changes with every setting that changes losses", () => {
  const { traits } = optionsOf(model(), [2, 3, 8, 8]);
  const prints = {
    base: printOf(),
    batch: printOf({}, [4, 3, 8, 8]),
    image: printOf({}, [2, 3, 9, 8]),
    channels: printOf({}, undefined, model(5)),
    dropout: printOf({}, undefined, model(4, 0.2)),
    name: printOf({}, undefined, sequential({ net: model() })),
    fusion: printOf({ fusion: false }),
    O1: printOf({ amp: { level: "O1", keepF32: [], scaler: null } }),
    O2: printOf({ amp: { level: "O2", keepF32: [], scaler: null } }),
    O3: printOf({ amp: { level: "O3", keepF32: [], scaler: null } }),
    keepF32: printOf({ amp: { level: "O2", keepF32: ["fc"], scaler: null } }),
    scaler: printOf({ amp: { level: "O2", keepF32: [], scaler } }),
    interval: printOf({ amp: { level: "O2", keepF32: [], scaler: { ...scaler, interval: 7 } } }),
    smoothing: printOf({ loss: crossEntropy({ labelSmoothing: 0.1 }) }),
    rate: printOf({ optimizer: sgd({ learningRate: 0.2, momentum: 0.9 }) }),
    momentum: printOf({ optimizer: sgd({ learningRate: 0.1, momentum: 0.8 }) }),
    nesterov: printOf({ optimizer: sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true }) }),
    adam: printOf({ optimizer: adam() }),
    forward: printOf({ optimizer: null }),
    adapter: printOf({ traits: { ...traits, class: "cpu" } }),
  };
  const seen = new Map<string, string>();
  for (const [name, print] of Object.entries(prints)) {
    assert.equal(seen.get(print), undefined, `${name} has the fingerprint of ${seen.get(print)}`);
    seen.set(print, name);
  }
});
