import { InputError } from "../core/errors.ts";
import { shown } from "../data/checked.ts";
import { isPlain, type Plain } from "./merge.ts";
import { SLUG, SLUG_RULE, slugOf } from "./slug.ts";
import { unusedName } from "./unused_name.ts";

/**
 * Variants given as a list, by name: their own `name`, or one made from what they set, such as `amp=O2,numWorkers=2`.
 *
 * @throws {InputError} if an item is no record, or a name is no slug or stands twice
 */
export function namedVariants(list: readonly unknown[]): Plain {
  const named = new Map<string, Plain>();
  list.forEach((variant, i) => {
    if (!isPlain(variant)) {
      throw new InputError(`variants[${i}]: expected a record of settings, got ${shown(variant)}`);
    }
    const { name, ...settings } = variant;
    if (name === undefined) return named.set(unusedName(nameOf(settings), named), settings);
    if (typeof name !== "string" || !SLUG.test(name)) {
      throw new InputError(`variants[${i}].name: expected ${SLUG_RULE}, got ${JSON.stringify(name)}`);
    }
    if (named.has(name)) throw new InputError(`variants[${i}].name: "${name}" stands for another variant already`);
    return named.set(name, settings);
  });
  return Object.fromEntries(named);
}

function nameOf(settings: Plain): string {
  if (settings.kind === "compose" && Array.isArray(settings.parts)) {
    return settings.parts.map((part) => typeof part === "string" ? part : nameOf(part as Plain)).join("+");
  }
  return leaves(settings).map(({ key, value }) => `${key}=${slugOf(value)}`).join(",") || "baseline";
}

/** Settings by the last part of their paths. */
function leaves(settings: Plain): { key: string; value: unknown }[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (typeof value === "function") return [{ key, value: value.name || "function" }];
    return isPlain(value) && value.kind === undefined ? leaves(value) : [{ key, value }];
  });
}
