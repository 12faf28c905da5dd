import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped, shownLines } from "../core/shown.ts";
import type { Composition } from "./compose.ts";
import { isPlain, type Plain } from "./merge.ts";
import { variantProblems } from "./structure.ts";

/**
 * Returns the layers of settings that make up variant `name`, in the order in which they are merged.
 *
 * @throws {InputError} if a composition names an unknown variant or itself, or a variant has unknown keys
 */
export function layersOf(name: string, variants: Plain, path: readonly string[] = []): Plain[] {
  const cycle = [...path, name];
  if (path.includes(name)) {
    throw new InputError(`variants.${path[0]}: ${cycle.join(" -> ")} is a cycle; a variant cannot include itself`);
  }
  const variant = variants[name];
  if (!isComposition(variant)) {
    const problems = variantProblems(name, variant as Plain);
    if (problems.length > 0) throw new InputError(shownLines(problems));
    return [variant as Plain];
  }
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
