import assert from "node:assert/strict";
import { vocabulary } from "../../../runtime/analysis/advice/vocabulary.ts";
import { applied, op, peaks, said } from "./fixture.ts";

const tensor = (...shape: number[]) => ({ shape, dtype: "f32" });

/** Two products of 2 ms, and a head of `classes` that takes `mean` ms, with a loss of 4 ms. */
function net(classes: number, mean: number) {
  const product = (id: string, features: number, mean: number) =>
    op(id, {
      type: "linear",
      mean,
      flops: 1e9,
      bytes: 1e3,
      inputs: [tensor(512, 64)],
      outputs: [tensor(512, features)],
    });
  const logits = tensor(512, classes);
  return [
    product("a", 64, 2),
    product("b", 64, 2),
    product("head", classes, mean),
    op("loss", { type: "cross_entropy", mean: 4, inputs: [logits, tensor(512)], outputs: [tensor(1)] }),
  ];
}

Deno.test("vocabulary: proposes to pad one whose products are slower than others", () => {
  const finding = applied(vocabulary, {}, { ops: net(50257, 8) }, { peaks });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, [], "the script has to change");
  assert.match(finding!.message, /vocabulary of 50257 are slower than others: pad it to 50304, a multiple of 64/);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 6 / 16)) < 1e-9, `${gain}`);
  assert.equal(applied(vocabulary, {}, { ops: net(50257, 2) }, { peaks }), null, "as fast as others");
  assert.equal(applied(vocabulary, {}, { ops: net(50257, 8) }), null, "no peaks to compare with");
});

Deno.test("vocabulary: names the share of a large one's products and loss", () => {
  const finding = applied(vocabulary, {}, { ops: net(32768, 8) });
  const { gain } = said(finding);
  assert.match(finding!.message, /over the vocabulary of 32768 take 75\.0 % of the device time/);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 12 / 16 / 2)) < 1e-9, `${gain}`);
  assert.equal(applied(vocabulary, {}, { ops: net(1000, 8) }), null, "classes of images");
  const small = [...net(32768, 1), op("other", { mean: 100, inputs: [tensor(8, 8)], outputs: [tensor(8, 8)] })];
  assert.equal(applied(vocabulary, {}, { ops: small }), null);
});
