/**
 * The list of optimizers. An optimizer is a plain record, which overrides can change. Semantics and defaults follow
 * `torch.optim`. The scenario checks the values.
 *
 * @module
 */
import { z } from "zod";
import { factoryNames, kindOf, schemasOf } from "../data/kinds.ts";
import { adamOptimizer, adamWOptimizer } from "./optimizers/adam.ts";
import { lionOptimizer } from "./optimizers/lion.ts";
import type { OptimizerDef } from "./optimizers/optimizer_def.ts";
import { rmspropOptimizer } from "./optimizers/rmsprop.ts";
import { sgdOptimizer } from "./optimizers/sgd.ts";
import type { OptimizerSpec } from "./optimizers/types.ts";

export type { OptimizerSpec } from "./optimizers/types.ts";

/** All optimizers. */
export const OPTIMIZERS = [sgdOptimizer, adamOptimizer, adamWOptimizer, rmspropOptimizer, lionOptimizer] as const;

/** Schema of an optimizer, by `kind`. */
export const optimizerSchema = z.discriminatedUnion("kind", schemasOf(OPTIMIZERS), {
  error: `expected an optimizer: ${factoryNames(OPTIMIZERS)}`,
});

/** Returns the definition of an optimizer. */
export function optimizerOf(spec: OptimizerSpec): OptimizerDef {
  return OPTIMIZERS.find((definition) => kindOf(definition) === spec.kind)!;
}

/** Returns the name of nnabla's solver for a record, which may be of another version. */
export function solverName(record: { readonly kind?: unknown }): string | null {
  const { data: spec } = optimizerSchema.safeParse(record);
  const own = spec === undefined ? undefined : optimizerOf(spec).solver?.(spec);
  if (own !== undefined || typeof record.kind !== "string") return own ?? null;
  return record.kind.charAt(0).toUpperCase() + record.kind.slice(1);
}
