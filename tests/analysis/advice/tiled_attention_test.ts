import assert from "node:assert/strict";
import { tiledAttention } from "../../../runtime/analysis/advice/tiled_attention.ts";
import { applied, config, op, said } from "./fixture.ts";

const tensor = (...shape: number[]) => ({ shape, dtype: "f32" });
const q = tensor(8, 4, 1024, 32);
const scores = tensor(8, 4, 1024, 1024);
const layer = "attention";

/** An attention of two products of 6 ms, a softmax of `mean` ms, and a layer of 28 ms. */
function net(mean: number) {
  return [
    op("attention", { type: "matmul", layer, mean: 6, inputs: [q, q], outputs: [scores] }),
    op("attention#1", { type: "softmax", layer, mean, inputs: [scores], outputs: [scores] }),
    op("attention#2", { type: "matmul", layer, mean: 6, inputs: [scores, q], outputs: [q] }),
    op("fc", { type: "linear", mean: 28, inputs: [tensor(8, 64)], outputs: [tensor(8, 64)] }),
  ];
}

const composed = config({ compile: { attention: "composed" } });

Deno.test("tiled attention: proposes it for a composed attention whose weights take time", () => {
  const finding = applied(tiledAttention, {}, { ops: net(10), config: composed });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ['compile.attention: "composed" -> "tiled"']);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * (10 - 2) / 50)) < 1e-9, `${gain}`);
  assert.equal(finding!.evidence[1]!.value, "45.5 % of it, 128 MiB of weights");
});

Deno.test("tiled attention: quiet where the setting is another, and where computing again costs more", () => {
  const auto = config({ compile: { attention: "auto" } });
  assert.equal(applied(tiledAttention, {}, { ops: net(10), config: auto }), null);
  assert.equal(applied(tiledAttention, {}, { ops: net(10) }), null, "a run without the setting");
  assert.equal(applied(tiledAttention, {}, { ops: net(1), config: composed }), null);
});
