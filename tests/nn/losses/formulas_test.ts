import assert from "node:assert/strict";
import { huber, meanSquaredError } from "../../../mod.ts";
import { huberLoss } from "../../../runtime/nn/losses/huber.ts";
import { meanSquaredErrorLoss } from "../../../runtime/nn/losses/mean_squared_error.ts";

Deno.test("huber: quadratic up to delta, linear beyond, as PyTorch's documentation defines it", () => {
  const of = (d: number, delta?: number) =>
    huberLoss.ofSample(huber(delta === undefined ? {} : { delta }), [d], [0]).loss;
  assert.deepEqual([0, 0.5, -0.5, 1, -1, 3, -3].map((d) => of(d)), [0, 0.125, 0.125, 0.5, 0.5, 2.5, 2.5]);
  assert.deepEqual([1, -2, 5].map((d) => of(d, 2)), [0.5, 2, 8]);
  // At delta both pieces have the same value and slope
  assert.ok(Math.abs(of(2 + 1e-9, 2) - of(2 - 1e-9, 2) - 2 * 2e-9) < 1e-15);
});

Deno.test("huber: the loss of a sample is the mean over its elements", () => {
  assert.equal(huberLoss.ofSample(huber(), [1, 0, 5, -2], [1, 1, 1, 1]).loss, (0 + 0.5 + 3.5 + 2.5) / 4);
});

Deno.test("meanSquaredError: the mean of the squared differences", () => {
  assert.equal(meanSquaredErrorLoss.ofSample(meanSquaredError(), [1, 2, 3], [1, 4, 0]).loss, 13 / 3);
});
