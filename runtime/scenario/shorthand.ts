import { customLossOf, type LossFunction } from "../nn/losses/custom.ts";
import { withCache } from "../data/cache/settings.ts";
import { DEFAULT_SINK } from "./schema.ts";
import { isPlain, type Plain } from "./merge.ts";

const EXPANSIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  amp: (value) =>
    typeof value === "boolean" ? { level: value ? "O2" : "O0" } : typeof value === "string" ? { level: value } : value,
  compile: (value) =>
    isPlain(value) && typeof value["autotune"] === "boolean"
      ? { ...value, autotune: value["autotune"] ? {} : null }
      : value,
  distribute: orNull,
  ema: orNull,
  sink: (value) => value === true ? DEFAULT_SINK : value === false ? 0 : value,
  loss: (value) => typeof value === "function" ? customLossOf(value as LossFunction) : byKind(value),
  optimizer: byKind,
  schedule: byKind,
  data: (value) => isPlain(value) ? withCache(value) : byKind(value),
};

/** Expands the short forms of settings so that records can be merged: `amp: true` becomes `{ level: "O2" }`. */
export function expandShorthand(settings: Plain): Plain {
  const expand = (key: string, value: unknown) => Object.hasOwn(EXPANSIONS, key) ? EXPANSIONS[key]!(value) : value;
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, expand(key, value)]));
}

/** Expands `true` to all defaults and `false` to null. */
function orNull(value: unknown): unknown {
  return value === true ? {} : value === false ? null : value;
}

function byKind(value: unknown): unknown {
  return typeof value === "string" ? { kind: value } : value;
}
