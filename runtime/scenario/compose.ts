import { InputError } from "../core/errors.ts";
import { isPlain, type Plain } from "./merge.ts";

/** Variants and settings to merge; see {@linkcode compose}. */
export interface Composition {
  readonly kind: "compose";
  readonly parts: readonly (string | Plain)[];
}

/**
 * Combines variants into one. Later parts override earlier ones.
 *
 * @example
 * ```ts
 * import { cifar10, compose, scenario } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "loader",
 *   data: cifar10(),
 *   variants: {
 *     workers: { loader: { numWorkers: 2 } },
 *     batch: { loader: { batchSize: 64 } },
 *     both: compose("workers", "batch", { loader: { prefetch: 4 } }),
 *   },
 * });
 * ```
 *
 * @param parts names of variants, or records of settings
 * @throws {InputError} if a part is neither
 */
export function compose(...parts: (string | object)[]): Composition {
  for (const part of parts) {
    if (typeof part === "string" || isPlain(part)) continue;
    throw new InputError(`compose: expected names of variants or records of settings, got ${typeof part}`);
  }
  return { kind: "compose", parts: parts as (string | Plain)[] };
}
