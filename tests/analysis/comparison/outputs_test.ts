import { deepEqual, equal } from "node:assert/strict";
import { EXACT, outputDifference } from "../../../runtime/analysis/comparison/outputs.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

const CLOSE = { relative: 1e-3, absolute: 1e-6 };

/** Returns a random tensor, and a copy that differs only by rounding. */
function pair(random: RandomStream) {
  const shape = [1 + random.below(4), 1 + random.below(40)];
  const data = Float32Array.from({ length: shape[0]! * shape[1]! }, () => random.normal());
  const copy = data.map((value) => value * (1 + 1e-5 * random.normal()));
  return { tensor: { shape, data }, copy: { shape: [...shape], data: copy } };
}

Deno.test("100 of 100 planted differences are found, and 100 of 100 equal outputs accepted", () => {
  const random = new RandomStream(5);
  const found = { element: 0, nan: 0, shape: 0, truncated: 0, text: 0 };
  let accepted = 0;
  for (let i = 0; i < 100; i++) {
    const { tensor, copy } = pair(random);
    const at = random.below(copy.data.length);
    const with_ = (value: number) => ({ ...copy, data: copy.data.map((own, k) => k === at ? value : own) });
    if (outputDifference(copy, tensor, CLOSE) === null && outputDifference(tensor, tensor, EXACT) === null) accepted++;
    const wrong = outputDifference(
      with_(copy.data[at]! + (random.below(2) * 2 - 1) * 0.01 * (1 + random.uniform()) * 4),
      tensor,
      CLOSE,
    );
    if (wrong?.where === `data[${at}]`) found.element++;
    if (outputDifference(with_(NaN), tensor, CLOSE)?.value === "NaN") found.nan++;
    const turned = { ...copy, shape: [copy.shape[1]!, copy.shape[0]!, 1] };
    if (outputDifference(turned, tensor, CLOSE)?.where.startsWith("shape")) found.shape++;
    const cut = { ...copy, data: copy.data.slice(0, -1) };
    if (outputDifference(cut, tensor, CLOSE)?.where === "data.length") found.truncated++;
    const lines = (data: Float32Array) => [...data].map((value, k) => `output ${k}: ${value.toFixed(6)}`).join("\n");
    const difference = outputDifference(lines(with_(copy.data[at]! + 5).data), lines(tensor.data), CLOSE);
    if (difference?.where === `line ${at + 1}`) found.text++;
  }
  deepEqual({ ...found, accepted }, { element: 100, nan: 100, shape: 100, truncated: 100, text: 100, accepted: 100 });
});

Deno.test("the first difference has its place and both values", () => {
  const of = (own: unknown, baseline: unknown, tolerance = EXACT) => outputDifference(own, baseline, tolerance);
  deepEqual(of({ a: [1, [2, 3]] }, { a: [1, [2, 4]] }), { where: "a[1][1]", value: "3", baseline: "4" });
  deepEqual(of({ dims: [2], data: [1, 2] }, { data: [1], dims: [1] }), { where: "dims[0]", value: "2", baseline: "1" });
  deepEqual(of("x\nloss 0.5 ms", "x\nloss 0.25 ms"), { where: "line 2", value: "0.5", baseline: "0.25" });
  deepEqual(of("a\nb", "a"), { where: "line 2", value: "b", baseline: "the end" });
  deepEqual(of({ a: 1 }, { a: 1, b: 2 }), { where: "b", value: "missing", baseline: "2" });
  deepEqual(of(new Uint8Array([1, 2]), new Uint8Array([1, 3])), { where: "[1]", value: "2", baseline: "3" });
});

Deno.test("NaN equals NaN, infinities equal themselves, and zeros are compared with their array", () => {
  const is = (own: unknown, baseline: unknown) => outputDifference(own, baseline, CLOSE) === null;
  equal(is([NaN, Infinity], [NaN, Infinity]), true);
  equal(is([1, Infinity], [1, -Infinity]), false);
  equal(is([5, Infinity], [1, Infinity]), false);
  equal(is([100, 1e-4], [100, 0]), true);
  equal(is([1e-4], [0]), false);
  equal(is("loss nan, 1.0000", "loss nan, 1.0001"), true);
  equal(is("loss nan", "loss 0.5"), false);
  equal(is("v1.5 fast", "v1.5 slow"), false);
});
