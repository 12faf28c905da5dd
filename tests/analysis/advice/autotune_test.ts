import assert from "node:assert/strict";
import { autotune } from "../../../runtime/analysis/advice/autotune.ts";
import { applied, apply, bottleneck, config, convolutions, input, measured, op, peaks, said } from "./fixture.ts";

const odds = { shape: [32, 17, 32, 32], dtype: "f32" };

Deno.test("autotune: proposes tuning products below the share of similar ones", () => {
  const { changes, gain } = said(applied(autotune, {}, { ops: convolutions(4) }, { peaks }));
  assert.deepEqual(changes, ["compile.autotune: null -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 2 / 12)) < 1e-9, `${gain}`);
});

Deno.test("autotune: quiet if shares are equal, if it is on, and if launches dominate", () => {
  assert.equal(applied(autotune, {}, { ops: convolutions(2) }, { peaks }), null);
  assert.equal(applied(autotune, {}, { ops: convolutions(4) }), null);
  const odd = convolutions(4).map((one) => one.median === 4 ? { ...one, outputs: [odds], shapes: [odds.shape] } : one);
  assert.equal(applied(autotune, {}, { ops: odd }, { peaks }), null, "no kernel suits 17 channels");
  const tuned = measured({}, { ops: convolutions(4), config: config({ compile: { autotune: { start: 1 } } }) });
  assert.equal(apply(autotune, input(tuned, { peaks })), null);
  const launching = measured({}, { ops: convolutions(4), bottleneck: bottleneck({ free: 1, launch: 0.8 }) });
  assert.equal(apply(autotune, input(launching, { peaks })), null);
});

Deno.test("autotune: does not compare ops with less work per byte with the rest", () => {
  const narrow = [...convolutions(2).slice(1), op("first", { mean: 4, flops: 1e9, bytes: 1e6 })];
  assert.equal(applied(autotune, {}, { ops: narrow }, { peaks }), null);
  const small = [...convolutions(2).slice(1), op("small", { mean: 4, flops: 1e7, bytes: 10 })];
  assert.equal(applied(autotune, {}, { ops: small }, { peaks }), null);
});
