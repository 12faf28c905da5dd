import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import type { Shape } from "../core/shape.ts";
import type { OptimizerSpec } from "./optimizers.ts";

/** Matches parameters with at most one dimension. */
const VECTORS = "vectors";

const pattern = z.string({ error: `expected "${VECTORS}" or a parameter's name such as "*.bias"` })
  .min(1, { error: "expected a name" });
const nonNegative = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" });

/** Schema of a group of parameters with settings of the optimizer that differ. */
export const parameterGroupSchema = z.strictObject({
  match: z.union([pattern, z.array(pattern).min(1, { error: "expected at least one name" })], {
    error: `expected "${VECTORS}", a name such as "*.bias" or a list of these`,
  }).describe(
    "names of parameters, * for any characters; vectors: parameters with one dimension, such as biases and those of norms",
  ),
  weightDecay: nonNegative.optional().describe("weight decay of the group; default: the optimizer's"),
  learningRate: nonNegative.optional().describe("learning rate of the group; default: the optimizer's"),
}, { error: 'expected a record such as { match: "vectors", weightDecay: 0 }' })
  .refine(({ weightDecay, learningRate }) => weightDecay !== undefined || learningRate !== undefined, {
    error: "expected a weightDecay or a learningRate",
  });

export type ParameterGroup = z.output<typeof parameterGroupSchema>;

/** A parameter by name and shape. */
interface Named {
  readonly name: string;
  readonly shape: Shape;
}

/**
 * Returns the group of each parameter: the index of the first that matches, plus 1; 0 for none.
 *
 * @throws {InputError} if a name of a group matches no parameter, or all that a group matches are in earlier groups
 */
export function groupIndices(parameters: readonly Named[], groups: readonly ParameterGroup[]): number[] {
  const tests = groups.map(({ match }) => (typeof match === "string" ? [match] : match).map(matcher));
  tests.flat().forEach(({ pattern, matches }) => {
    if (parameters.some(matches)) return;
    const names = parameters.map(({ name }) => name);
    throw new InputError(
      pattern === VECTORS
        ? "groups: the model has no parameter with one dimension"
        : `groups: no parameter is called "${pattern}"${suggestion(pattern, names)}`,
    );
  });
  const indices = parameters.map((parameter) =>
    tests.findIndex((patterns) => patterns.some(({ matches }) => matches(parameter))) + 1
  );
  const empty = groups.findIndex((_, i) => !indices.includes(i + 1));
  if (empty >= 0) {
    const shown = [groups[empty]!.match].flat().map((pattern) => `"${pattern}"`).join(", ");
    throw new InputError(
      `groups[${empty}]: every parameter that ${shown} matches is in an earlier group, since the first that matches ` +
        "counts; put it before them, or leave it out",
    );
  }
  return indices;
}

function matcher(pattern: string): { pattern: string; matches: (parameter: Named) => boolean } {
  if (pattern === VECTORS) return { pattern, matches: ({ shape }) => shape.length <= 1 };
  const form = new RegExp(`^${pattern.split("*").map((part) => RegExp.escape(part)).join(".*")}$`);
  return { pattern, matches: ({ name }) => form.test(name) };
}

/**
 * Returns the optimizer's settings for each index of {@linkcode groupIndices}.
 *
 * @throws {InputError} if a group sets a weight decay and the optimizer has none
 */
export function groupOptimizers(optimizer: OptimizerSpec, groups: readonly ParameterGroup[]): OptimizerSpec[] {
  return [
    optimizer,
    ...groups.map(({ weightDecay, learningRate }, i): OptimizerSpec => {
      if (weightDecay !== undefined && !("weightDecay" in optimizer)) {
        const { kind } = optimizer as { readonly kind: string };
        throw new InputError(
          `groups[${i}].weightDecay is ${weightDecay}, but ${kind} has no weight decay; leave it out`,
        );
      }
      return {
        ...optimizer,
        ...weightDecay === undefined ? {} : { weightDecay },
        ...learningRate === undefined ? {} : { learningRate },
      };
    }),
  ];
}
