import assert from "node:assert/strict";
import { rmsprop } from "../../../mod.ts";
import { assertClose } from "../../support/op_case.ts";
import { trajectory } from "./trajectory.ts";

const GRADIENTS = [1, -2, 0.5, 0.5, 3];

/** The algorithm of torch.optim.RMSprop's documentation, line by line. */
function documented(
  start: number,
  { lr, alpha = 0.99, eps = 1e-8, weightDecay = 0, momentum = 0, centered = false }: {
    lr: number;
    alpha?: number;
    eps?: number;
    weightDecay?: number;
    momentum?: number;
    centered?: boolean;
  },
): number[] {
  let [theta, v, average, buffer] = [start, 0, 0, 0];
  return GRADIENTS.map((gradient) => {
    let g = gradient;
    if (weightDecay !== 0) g += weightDecay * theta;
    v = alpha * v + (1 - alpha) * g ** 2;
    let tilde = v;
    if (centered) {
      average = average * alpha + (1 - alpha) * g;
      tilde -= average ** 2;
    }
    if (momentum > 0) {
      buffer = momentum * buffer + g / (Math.sqrt(tilde) + eps);
      theta -= lr * buffer;
    } else theta -= lr * g / (Math.sqrt(tilde) + eps);
    return theta;
  });
}

Deno.test("rmsprop: PyTorch's algorithm, with and without momentum, centring and weight decay", () => {
  for (const momentum of [0, 0.9]) {
    for (const centered of [false, true]) {
      for (const weightDecay of [0, 0.1]) {
        const got = trajectory(rmsprop({ learningRate: 0.1, momentum, centered, weightDecay }), 2, GRADIENTS);
        const want = documented(2, { lr: 0.1, momentum, centered, weightDecay });
        assertClose(got, want, 1e-14, JSON.stringify({ momentum, centered, weightDecay }));
      }
    }
  }
});

Deno.test("rmsprop: PyTorch's defaults; a first step of ten times the rate, as 1 / sqrt(1 - alpha)", () => {
  assert.deepEqual(rmsprop(), {
    kind: "rmsprop",
    learningRate: 0.01,
    alpha: 0.99,
    epsilon: 1e-8,
    momentum: 0,
    centered: false,
    weightDecay: 0,
  });
  assertClose(trajectory(rmsprop(), 1, [5]), [0.9], 1e-7, "first step");
});

Deno.test("rmsprop: a gradient that never changes leaves a centred update finite", () => {
  const values = trajectory(rmsprop({ centered: true, alpha: 0.1 }), 1, Array(200).fill(0.3));
  assert.ok(values.every(Number.isFinite));
});
