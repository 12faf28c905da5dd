import { InputError } from "../core/errors.ts";
import { clipped, shown } from "../core/shown.ts";
import { isPlain, type Plain } from "./merge.ts";
import { NamePool, SLUG, SLUG_RULE, slugOf } from "./slug.ts";

/**
 * Turns a list of variants into a record by name. A variant without a `name` is named after its settings, such as
 * `amp=O2,numWorkers=2`.
 *
 * @throws {InputError} if an item is not a record, or a name is invalid or used twice
 */
export function namedVariants(list: readonly unknown[]): Plain {
  const names = new NamePool();
  const named: [string, Plain][] = [];
  list.forEach((variant, i) => {
    if (!isPlain(variant)) {
      throw new InputError(`variants[${i}]: expected a record of settings, got ${shown(variant)}`);
    }
    const { name, ...settings } = variant;
    if (name === undefined) return named.push([names.take(nameOf(settings)), settings]);
    if (typeof name !== "string" || !SLUG.test(name)) {
      throw new InputError(`variants[${i}].name: expected ${SLUG_RULE}, got ${shown(name)}`);
    }
    if (names.has(name)) {
      throw new InputError(`variants[${i}].name: "${clipped(name)}" is already the name of another variant`);
    }
    names.add(name);
    return named.push([name, settings]);
  });
  return Object.fromEntries(named);
}

function nameOf(settings: Plain): string {
  if (settings["kind"] === "compose" && Array.isArray(settings["parts"])) {
    return settings["parts"].map((part) => typeof part === "string" ? part : nameOf(part as Plain)).join("+");
  }
  return leaves(settings).map(({ key, value }) => `${key}=${slugOf(value)}`).join(",") || "baseline";
}

/** Returns the innermost settings by the last key of their paths. */
function leaves(settings: Plain): { key: string; value: unknown }[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (typeof value === "function") return [{ key, value: value.name || "function" }];
    return isPlain(value) && value["kind"] === undefined ? leaves(value) : [{ key, value }];
  });
}
