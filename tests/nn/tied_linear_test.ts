import assert from "node:assert/strict";
import { embedding, type Layer, layer, linear, sequential, tiedLinear } from "../../mod.ts";
import { checkLayer } from "../support/layer_case.ts";
import type { Values } from "../support/op_case.ts";
import { build } from "./building.ts";
import { refuses } from "../support/refuses.ts";

const [ROWS, FEATURES] = [7, 6];
const INDICES = [3, 0, 6, 3, 5, 1];

function model(bias: boolean): Layer {
  const words = embedding(ROWS, FEATURES);
  return sequential({ words, head: tiedLinear(words, { bias }) });
}

/** Products of each token's row with all rows. */
function reference(values: Readonly<Record<string, Values>>): Float64Array {
  const weight = values["words.weight"]!;
  const bias = values["head.bias"];
  const row = (i: number) => Array.from({ length: FEATURES }, (_, f) => weight[i * FEATURES + f]!);
  return Float64Array.from(INDICES.flatMap((index) =>
    Array.from(
      { length: ROWS },
      (_, r) => row(index).reduce((sum, v, f) => sum + v * row(r)[f]!, bias?.[r] ?? 0),
    )
  ));
}

for (const bias of [false, true]) {
  Deno.test(`a tied linear layer${bias ? " with a bias" : ""} sums the gradients of both uses of one weight`, async () => {
    const shapes = await checkLayer({
      name: "tied",
      layer: model(bias),
      shape: [2, 3],
      dtype: "i32",
      values: INDICES,
      reference,
    });
    assert.deepEqual(shapes, { "words.weight": [ROWS, FEATURES], ...bias ? { "head.bias": [ROWS] } : {} });
  });
}

Deno.test("a tied linear layer refuses other layers, other features and an embedding without weights", () => {
  refuses(
    () => tiedLinear(linear(3)),
    "tiedLinear: expected an embedding, such as embedding(1000, 64), got a layer",
  );
  const words = embedding(ROWS, FEATURES);
  refuses(
    () => build(sequential({ fc: linear(FEATURES), head: tiedLinear(words) }), [2, 3]),
    'model: layer "head": tiedLinear uses an embedding that has not been applied; apply the embedding first',
  );
  const mixed = sequential({ words, fc: linear(5), head: tiedLinear(words) });
  refuses(() => build(mixed, [2, 3]), /layer "head": .*6 features in the last dimension, got \[2, 3, 5\]/);
  refuses(
    () => build(layer((x) => tiedLinear(words)(x)), [2]),
    /layer "tied_linear": .* \[n, \.\.\., features\], got \[2\]/,
  );
});
