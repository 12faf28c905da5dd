import assert from "node:assert/strict";
import { align } from "../../../runtime/analysis/advice/align.ts";
import { applied, op, peaks, said } from "./fixture.ts";

function linear(id: string, features: number, mean: number) {
  const tensor = (size: number) => ({ shape: [32, size], dtype: "f32" });
  return op(id, { type: "linear", mean, flops: 1e9, bytes: 1e3, inputs: [tensor(64)], outputs: [tensor(features)] });
}

Deno.test("align: names products whose sizes leave tiles partly empty", () => {
  const finding = applied(align, {}, { ops: [linear("a", 64, 2), linear("b", 64, 2), linear("c", 33, 4)] }, { peaks });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, [], "the script has to change");
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 4 * (7 / 40) / 8)) < 1e-9, `${gain}`);
});

Deno.test("align: ops far below the aligned ones of their type save half of their time, or reach half of that share", () => {
  const other = op("x", { type: "conv2d", mean: 1, flops: 1e10, bytes: 1e3 });
  const gainOf = (time: number) => {
    const ops = [linear("a", 64, 2), linear("b", 64, 2), linear("c", 33, time), other];
    return said(applied(align, {}, { ops }, { peaks })).gain;
  };
  // 6 ms at a third of the others' share become 4
  assert.ok(Math.abs(gainOf(6) - 100 / (100 - 92 * 2 / 11)) < 1e-9, `${gainOf(6)}`);
  // 16 ms at an eighth become 8
  assert.ok(Math.abs(gainOf(16) - 100 / (100 - 92 * 8 / 21)) < 1e-9, `${gainOf(16)}`);
});

Deno.test("align: quiet if unaligned sizes are as fast, and for sizes of the data", () => {
  const fast = [linear("a", 64, 2), linear("b", 64, 2), linear("c", 33, 2)];
  assert.equal(applied(align, {}, { ops: fast }, { peaks }), null);
  const classes = [linear("a", 64, 2), linear("b", 64, 2), linear("fc", 10, 4)];
  assert.equal(applied(align, {}, { ops: classes }, { peaks }), null);
});
