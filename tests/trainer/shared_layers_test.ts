import assert from "node:assert/strict";
import { add, layer, linear, meanSquaredError } from "../../mod.ts";
import { normals } from "../support/reference/random.ts";
import { measured, regression, trainerOf } from "./models.ts";

const batch = () => ({ input: normals(12, 1), target: normals(12, 2) });
const square = linear(3, { bias: false });

/** Runs a step of the model that `build` makes of one 3-by-3 linear layer, and returns the weight and its gradient. */
async function gradientOf(build: Parameters<typeof layer>[0]) {
  await using trainer = await trainerOf(
    regression({ model: layer(build), loss: meanSquaredError(), data: measured(3, 3) }),
  );
  const name = [...(await trainer.parameters()).keys()];
  assert.deepEqual(name, ["linear.weight"]);
  const data = Float32Array.of(0.5, -0.25, 0, 0.25, 0.5, 1, -0.5, 0.75, 0.25);
  await trainer.loadParameters(new Map([["linear.weight", { shape: [3, 3], data }]]));
  await trainer.step(batch());
  return { gradient: (await trainer.gradients()).get("linear.weight")!.data, weight: data };
}

/** Derivative of the mean squared error of `output` with respect to each element of the weight. */
function differences(weight: Float32Array, output: (x: number[], w: number[]) => number[]): number[] {
  const { input, target } = batch();
  const loss = (w: number[]) => {
    let sum = 0;
    for (let row = 0; row < 4; row++) {
      const y = output([...input.subarray(row * 3, row * 3 + 3)], w);
      y.forEach((value, i) => sum += (value - target[row * 3 + i]!) ** 2 / 12);
    }
    return sum;
  };
  return [...weight].map((_, at) => {
    const moved = (by: number) => loss([...weight].map((value, i) => value + (i === at ? by : 0)));
    return (moved(1e-5) - moved(-1e-5)) / 2e-5;
  });
}

const product = (x: number[], w: number[]) => [0, 1, 2].map((o) => x.reduce((sum, v, i) => sum + v * w[o * 3 + i]!, 0));

function assertClose(got: Float32Array, wanted: number[]): void {
  got.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]!) <= 1e-5 * 10, `${i}: ${value} and ${wanted[i]}`));
}

Deno.test("the gradient of a layer applied twice is the sum of both gradients", async () => {
  const { gradient, weight } = await gradientOf((x) => square(square(x)));
  assertClose(gradient, differences(weight, (x, w) => product(product(x, w), w)));
});

Deno.test("the gradient of x + x is doubled", async () => {
  const { gradient, weight } = await gradientOf((x) => {
    const y = square(x);
    return add(y, y);
  });
  assertClose(gradient, differences(weight, (x, w) => product(x, w).map((value) => 2 * value)));
});

Deno.test("gradients of joined branches of different depth are correct", async () => {
  const { gradient, weight } = await gradientOf((x) => {
    const y = square(x);
    return add(add(square(y), y), add(x, y));
  });
  assertClose(
    gradient,
    differences(weight, (x, w) => {
      const y = product(x, w);
      return product(y, w).map((value, i) => value + 2 * y[i]! + x[i]!);
    }),
  );
});
