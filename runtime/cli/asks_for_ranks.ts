import { isPlain } from "../scenario/merge.ts";

const KEY = "distribute";

/** Records and lists down to `variants.both.parts[0]`, the deepest place of the setting. */
const DEPTH = 5;

/** Keys with values of the user, which may be large. */
const SKIPPED: ReadonlySet<string> = new Set(["data", "loss", "model", "optimizer", "params", "programs", "schedule"]);

/** Records whose keys are names that the user chooses. */
const BY_NAME: ReadonlySet<string> = new Set(["adapters", "variants"]);

/**
 * Returns true if the scenario or an argument sets `distribute`. Without it, nothing looks for other ranks, so that a
 * cluster's launcher can start any scenario. Decides before anything is checked, since ranks report wrong settings together.
 */
export function asksForRanks(definition: unknown, args: readonly string[]): boolean {
  return args.some(isArgument) || isNamed(definition, DEPTH);
}

/** Reads `distribute=VALUE`, `distribute=VALUE,VALUE` and `distribute.KEY=VALUE`. */
function isArgument(text: string): boolean {
  const at = text.indexOf("=");
  const key = at < 0 ? text : text.slice(0, at);
  if (key.startsWith(`${KEY}.`)) return true;
  return key === KEY && text.slice(at + 1).split(",").some((value) => value !== "false" && value !== "null");
}

function isNamed(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth > 0 && value.some((entry) => isNamed(entry, depth - 1));
  if (!isPlain(value) || depth === 0) return false;
  return Object.entries(value).some(([key, entry]) => {
    if (key === KEY) return isOn(entry);
    if (BY_NAME.has(key) && isPlain(entry)) return isNamed(Object.values(entry), depth - 1);
    return key.startsWith(`${KEY}.`) || !SKIPPED.has(key) && isNamed(entry, depth - 1);
  });
}

/** Returns true for a value, or the values of a sweep, that train on several ranks. */
function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOn);
  return value !== undefined && value !== null && value !== false && value !== "false" && value !== "null";
}
