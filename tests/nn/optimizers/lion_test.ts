import assert from "node:assert/strict";
import { lion } from "../../../mod.ts";
import { assertClose } from "../../support/op_case.ts";
import { trajectory } from "./trajectory.ts";

Deno.test("lion: the paper's defaults", () => {
  assert.deepEqual(lion(), { kind: "lion", learningRate: 1e-4, beta1: 0.9, beta2: 0.99, weightDecay: 0 });
});

Deno.test("lion: steps by the sign of the interpolated momentum, worked out by hand", () => {
  // m before each step: 0, 0.01, -0.0001; c = 0.9 m + 0.1 g: 0.1, -0.091, 0.00491
  assertClose(trajectory(lion({ learningRate: 0.1 }), 1, [1, -1, 0.05]), [0.9, 1, 0.9], 1e-14, "signs");
  // A gradient against a larger momentum does not turn the step: c = 0.9 * 0.5 - 0.1 * 1
  assertClose(
    trajectory(lion({ learningRate: 0.1, beta2: 0.5 }), 1, [1, -1]),
    [0.9, 0.8],
    1e-14,
    "momentum",
  );
  assert.deepEqual(trajectory(lion({ learningRate: 0.1 }), 1, [0]), [1], "no gradient, no step");
});

Deno.test("lion: weight decay is decoupled from the sign", () => {
  // p (1 - 0.1 * 0.5) - 0.1, twice
  assertClose(
    trajectory(lion({ learningRate: 0.1, weightDecay: 0.5 }), 2, [1e-9, 1e-9]),
    [1.8, 1.61],
    1e-14,
    "decay",
  );
});
