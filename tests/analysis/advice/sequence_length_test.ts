import assert from "node:assert/strict";
import { sequenceLength } from "../../../runtime/analysis/advice/sequence_length.ts";
import { applied, op, said } from "./fixture.ts";

const tensor = (...shape: number[]) => ({ shape, dtype: "f32" });

/** An attention of 4 heads over `t` positions, whose ops take `mean` ms each, and a linear layer of 40 ms. */
function net(t: number, mean: number) {
  const q = tensor(8, 4, t, 32);
  const scores = tensor(32, t, t);
  const layer = "block.attention";
  return [
    op("block.attention", { type: "matmul", layer, mean, inputs: [q, q], outputs: [tensor(8, 4, t, t)] }),
    op("block.attention#1", { type: "softmax", layer, mean, inputs: [scores], outputs: [scores] }),
    op("block.attention#2", { type: "matmul", layer, mean, inputs: [scores, q], outputs: [q] }),
    op("block.attention#3", { type: "linear", layer, mean: 0.5, inputs: [q], outputs: [q] }),
    op("fc", { type: "linear", mean: 40, inputs: [tensor(8, 64)], outputs: [tensor(8, 64)] }),
  ];
}

Deno.test("sequence length: names the share of attention, and half of it as the gain of half the length", () => {
  const finding = applied(sequenceLength, {}, { ops: net(1024, 10) });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, []);
  assert.match(finding!.message, /^Attention over 1024 positions takes 42\.6 % of the device time/);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 30 / 70.5 / 2)) < 1e-9, `${gain}`);
});

Deno.test("sequence length: counts tiled attention", () => {
  const [q, numbers] = [tensor(8, 2048, 4, 32), tensor(8, 4, 2048)];
  const tiled = [
    op("attention", { type: "tiled_attention", mean: 30, inputs: [q, q, q], outputs: [q, numbers] }),
    op("fc", { type: "linear", mean: 30, inputs: [tensor(8, 64)], outputs: [tensor(8, 64)] }),
  ];
  const finding = applied(sequenceLength, {}, { ops: tiled });
  assert.match(finding!.message, /^Attention over 2048 positions takes 50\.0 % of the device time/);
});

Deno.test("sequence length: quiet where attention is short, and for a softmax without products", () => {
  assert.equal(applied(sequenceLength, {}, { ops: net(1024, 3) }), null);
  const output = tensor(8, 100, 100);
  const classes = [op("softmax", { type: "softmax", mean: 50, inputs: [output], outputs: [output] }), ...net(64, 1)];
  assert.equal(applied(sequenceLength, {}, { ops: classes }), null);
});
