import type { Config } from "./config.ts";
import { equal } from "./duplicates.ts";
import { isPlain } from "./merge.ts";

/** Returns the paths of settings that differ, such as `loader.numWorkers`; ignores `model`. */
export function differingSettings(a: Config, b: Config): string[] {
  const [{ model: _a, ...settings }, { model: _b, ...others }] = [a, b];
  return differing(settings, others, []);
}

function differing(a: unknown, b: unknown, path: readonly string[]): string[] {
  if (isPlain(a) && isPlain(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => differing(a[key], b[key], [...path, key]));
  }
  return equal(a, b) ? [] : [path.join(".")];
}
