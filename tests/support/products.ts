/**
 * Checks of ops that sum products: every candidate, for both classes of adapter, forward and gradient.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import type { Tensor } from "../../runtime/graph/tensor.ts";
import { evaluate } from "./evaluate.ts";

/** What an output should be, and the same with the absolute values of all inputs, which bounds rounding errors. */
export interface Expected {
  readonly name: string;
  readonly values: ArrayLike<number>;
  readonly magnitude: ArrayLike<number>;
}

/** Numbers in [-1, 1) as the device will hold them. */
export function draw(n: number, dtype: FloatType, seed: number): Float64Array {
  const random = new RandomStream(seed);
  const values = Array.from({ length: n }, () => 2 * random.uniform() - 1);
  return Float64Array.from(dtype === "f16" ? Float16Array.from(values) : Float32Array.from(values));
}

/** Runs every candidate of every node for both classes of adapter; `outputs` and `expected` go together. */
export async function checkProducts(
  title: string,
  outputs: readonly Tensor[],
  leaves: ReadonlyMap<string, ArrayLike<number>>,
  expected: readonly Expected[],
): Promise<void> {
  for (const deviceClass of ["cpu", "gpu"] as const) {
    let candidates = 1;
    for (let choice = 0; choice < candidates; choice++) {
      const names: string[] = [];
      const results = await evaluate(outputs, leaves, {
        traits: { class: deviceClass },
        pick: (node, plans) => {
          assert.equal(new Set(plans.map((plan) => plan.name)).size, plans.length, `names of ${node.id}'s candidates`);
          candidates = Math.max(candidates, plans.length);
          const picked = Math.min(choice, plans.length - 1);
          names.push(plans[picked]!.name);
          return picked;
        },
      });
      results.forEach((values, i) => {
        const where = `${title}, ${expected[i]!.name}, ${deviceClass} candidate ${choice} of ${names.join(", ")}`;
        // Winograd's F(4x4) errs by some 6 times as much as sums of products do.
        const scale = names.some((name) => name.includes(".winograd4.")) ? 6 : 1;
        assertClose(values, expected[i]!, outputs[i]!.dtype as FloatType, where, scale);
      });
    }
  }
}

/**
 * f32 sums in any order err by a few units of 2^-24 of the sum of magnitudes; f16 outputs are rounded once more, by 2^-11
 * of the value. `scale` widens what sums may err.
 */
export function assertClose(
  actual: ArrayLike<number>,
  expected: Expected,
  dtype: FloatType,
  where: string,
  scale = 1,
): void {
  assert.equal(actual.length, expected.values.length, where);
  for (let i = 0; i < actual.length; i++) {
    const want = expected.values[i]!;
    const tolerance = scale * (1e-6 + 2e-6 * expected.magnitude[i]!) + (dtype === "f16" ? Math.abs(want) / 2000 : 0);
    if (!(Math.abs(actual[i]! - want) <= tolerance)) {
      assert.fail(`${where}: element ${i} is ${actual[i]}, expected ${want} (within ${tolerance})`);
    }
  }
}
