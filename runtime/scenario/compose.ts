import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped } from "../core/shown.ts";
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

/**
 * Returns the layers of settings that make up variant `name`, in the order in which they are merged.
 *
 * @throws {InputError} if a composition names an unknown variant or itself
 */
export function layersOf(name: string, variants: Plain, path: readonly string[] = []): Plain[] {
  const cycle = [...path, name];
  if (path.includes(name)) {
    throw new InputError(`variants.${path[0]}: ${cycle.join(" -> ")} is a cycle; a variant cannot include itself`);
  }
  const variant = variants[name];
  if (!isComposition(variant)) return [variant as Plain];
  return variant.parts.flatMap((part) => {
    if (typeof part !== "string") return [part];
    if (Object.hasOwn(variants, part)) return layersOf(part, variants, cycle);
    const known = Object.keys(variants).filter((other) => other !== name);
    throw new InputError(`variants.${name}: compose: unknown variant "${clipped(part)}"${suggestion(part, known)}`);
  });
}

function isComposition(value: unknown): value is Composition {
  return isPlain(value) && value["kind"] === "compose" && Array.isArray(value["parts"]);
}
