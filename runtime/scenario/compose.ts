import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { isPlain, type Plain } from "./merge.ts";

/** Other variants, one over the other; see {@linkcode compose}. */
export interface Composition {
  readonly kind: "compose";
  readonly parts: readonly (string | Plain)[];
}

/**
 * A variant made of others, each merged over those before it:
 *
 * ```ts
 * variants: { workers: { loader: { numWorkers: 2 } }, amp: { amp: "O2" }, both: compose("workers", "amp") }
 * ```
 *
 * @param parts names of variants, or settings of its own
 */
export function compose(...parts: (string | object)[]): Composition {
  for (const part of parts) {
    if (typeof part === "string" || isPlain(part)) continue;
    throw new InputError(`compose: expected names of variants or records of settings, got ${typeof part}`);
  }
  return { kind: "compose", parts: parts as (string | Plain)[] };
}

/**
 * The settings of variant `name`, to be merged one over the other.
 *
 * @throws {InputError} if a composition names an unknown variant or itself
 */
export function layersOf(name: string, variants: Plain, path: readonly string[] = []): Plain[] {
  const cycle = [...path, name];
  if (path.includes(name)) throw new InputError(`variants.${path[0]}: ${cycle.join(" -> ")} goes round in a circle`);
  const variant = variants[name];
  if (!isComposition(variant)) return [variant as Plain];
  return variant.parts.flatMap((part) => {
    if (typeof part !== "string") return [part];
    if (Object.hasOwn(variants, part)) return layersOf(part, variants, cycle);
    const known = Object.keys(variants).filter((other) => other !== name);
    throw new InputError(`variants.${name}: compose: unknown variant "${part}"${suggestion(part, known)}`);
  });
}

function isComposition(value: unknown): value is Composition {
  return isPlain(value) && value.kind === "compose" && Array.isArray(value.parts);
}
