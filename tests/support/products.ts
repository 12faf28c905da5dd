/**
 * Checks of ops that sum products.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import type { Node, Tensor } from "../../runtime/graph/op.ts";
import { candidatesToCheck } from "./checked_candidates.ts";
import { classesFor } from "./op_case.ts";
import { evaluate, type EvaluateOptions, testDevice } from "./evaluate.ts";
import { remainingOutputs } from "./remaining_outputs.ts";

/** Expected values of an output, and the values for the inputs' magnitudes, which bound the rounding errors. */
export interface Expected {
  readonly name: string;
  readonly values: ArrayLike<number>;
  readonly magnitude: ArrayLike<number>;
}

/** Returns what a reference in f64 computes of inputs by name, output by output, with the bounds of rounding errors. */
export function expectedOf<V extends Readonly<Record<string, Float64Array>>>(
  values: V,
  reference: (values: V) => Readonly<Record<string, Float64Array>>,
): Expected[] {
  const magnitudes = Object.fromEntries(Object.entries(values).map(([name, of]) => [name, of.map(Math.abs)])) as V;
  const [want, magnitude] = [reference(values), reference(magnitudes)];
  return Object.keys(want).map((name) => ({ name, values: want[name]!, magnitude: magnitude[name]! }));
}

/** Draws numbers in [-1, 1), rounded to the device's type. */
export function draw(n: number, dtype: FloatType, seed: number): Float64Array {
  const random = new RandomStream(seed);
  const values = Array.from({ length: n }, () => 2 * random.uniform() - 1);
  return Float64Array.from(dtype === "f16" ? Float16Array.from(values) : Float32Array.from(values));
}

export interface ProductOptions extends Pick<EvaluateOptions, "traits" | "change"> {
  /** Maximum number of candidates of a node that run. */
  readonly choices?: number;
  /** Runs only candidates whose names match, and the default of nodes without a match. */
  readonly only?: RegExp;
  /** Called with the name of each candidate that runs. */
  readonly onCandidate?: (name: string) => void;
}

/**
 * Runs the candidates to check of every node, for the case's classes of adapter unless `traits` has one, and compares each of
 * the `outputs` with the entry of `expected` at its index. An output runs until all candidates to check of the nodes that it
 * depends on have run.
 */
export async function checkProducts(
  title: string,
  outputs: readonly Tensor[],
  leaves: ReadonlyMap<string, ArrayLike<number>>,
  expected: readonly Expected[],
  { traits, change, choices = Infinity, only, onCandidate }: ProductOptions = {},
): Promise<void> {
  const device = await testDevice();
  const classes = traits?.class === undefined
    ? classesFor(outputs[0]!.dtype as FloatType, "nhwc", title)
    : [traits.class];
  for (const deviceClass of classes) {
    const counts = new Map<Node, number>();
    const toCheck = candidatesToCheck(device, choices, change);
    for (let choice = 0, which; (which = remainingOutputs(outputs, counts, choice)).length > 0; choice++) {
      const names: string[] = [];
      const results = await evaluate(which.map((i) => outputs[i]!), leaves, {
        traits: { ...traits, class: deviceClass },
        ...(change === undefined ? {} : { change }),
        pick: (node, plans) => {
          assert.equal(new Set(plans.map((plan) => plan.name)).size, plans.length, `names of ${node.id}'s candidates`);
          const wanted = plans.filter(({ name }) => only?.test(name) ?? true);
          const indices = toCheck(wanted);
          counts.set(node, indices.length);
          const picked = wanted[indices[Math.min(choice, indices.length - 1)] ?? 0] ?? plans[0]!;
          names.push(picked.name);
          onCandidate?.(picked.name);
          return plans.indexOf(picked);
        },
      });
      results.forEach((values, at) => {
        const i = which[at]!;
        const where = `${title}, ${expected[i]!.name}, ${deviceClass} candidate ${choice} of ${names.join(", ")}`;
        // The errors of Winograd's F(4x4) are about 6 times those of sums of products
        const scale = names.some((name) => name.includes(".winograd4.")) ? 6 : 1;
        assertClose(values, expected[i]!, outputs[i]!.dtype as FloatType, where, scale);
      });
    }
  }
}

/**
 * Asserts that an output is within rounding error. f32 sums in any order have errors of a few units of 2^-24 of the sum
 * of magnitudes; f16 outputs add a rounding of 2^-11 of the value. `scale` widens the tolerance of the sums.
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
