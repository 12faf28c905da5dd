import assert from "node:assert/strict";
import { meanSquaredError } from "../../../mod.ts";
import { meanSquaredErrorLoss } from "../../../runtime/nn/losses/mean_squared_error.ts";

Deno.test("meanSquaredError: the mean of the squared differences", () => {
  assert.equal(meanSquaredErrorLoss.ofSample(meanSquaredError(), [1, 2, 3], [1, 4, 0]).loss, 13 / 3);
});
