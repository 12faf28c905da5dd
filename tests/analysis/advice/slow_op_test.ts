import assert from "node:assert/strict";
import { slowOp } from "../../../runtime/analysis/advice/slow_op.ts";
import { applied, apply, config, convolutions, input, measured, op, peaks, said } from "./fixture.ts";

Deno.test("slow op: names an op that takes much time at a small share of its roof", () => {
  const finding = applied(slowOp, {}, { ops: convolutions(8) }, { peaks });
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ["compile.autotune: null -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 6 / 16)) < 1e-9, `${gain}`);
  assert.equal(finding!.evidence[0]!.where, "op:conv4");
  const tuned = measured({}, { ops: convolutions(8), config: config({ compile: { autotune: {} } }) });
  assert.deepEqual(said(apply(slowOp, input(tuned, { peaks }))).changes, [], "tuning has had its try");
  assert.equal(applied(slowOp, {}, { ops: convolutions(3) }, { peaks }), null);
});

Deno.test("slow op: compares an op without similar ones with half the median of all", () => {
  const all = (
    share: number,
  ) => [...convolutions(2), op("odd", { type: "gelu", mean: 0.1 / share, flops: 1e9, bytes: 1e3 })];
  const finding = applied(slowOp, {}, { ops: all(0.01) }, { peaks });
  assert.deepEqual(said(finding).changes, [], "tuning is for products");
  assert.equal(applied(slowOp, {}, { ops: all(0.02) }, { peaks }), null);
});
