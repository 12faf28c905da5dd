import { FIRST_TOLERANCE, type LossTolerance, TOLERANCES } from "../analysis/comparison/losses.ts";
import { differingSettings } from "../scenario/differing_settings.ts";
import type { ResolvedVariant } from "../scenario/resolve.ts";

type Kind = keyof typeof TOLERANCES;

/** Settings that should not change the training, by the first parts of their paths. */
const KINDS: readonly (readonly [path: string, kind: Kind])[] = [
  ["loader.numWorkers", "feed"],
  ["loader.prefetch", "feed"],
  ["loader.sharedMemory", "feed"],
  ["loader.onError", "feed"],
  ["loader.timeout", "feed"],
  ["data.fuse", "feed"],
  ["data.placement", "feed"],
  ["data.delay", "feed"],
  ["data.unit", "feed"],
  ["sink", "feed"],
  ["monitor", "feed"],
  ["timing", "feed"],
  ["evaluate", "feed"],
  ["compile", "kernels"],
  ["amp", "precision"],
];

/**
 * Returns the tolerance of a variant's losses compared with the baseline's: the widest of the settings that differ. Returns null if the variant trains something else, such as another model, data or optimizer.
 *
 * @param own the scenario's `measure.tolerance`, which overrides all limits
 */
export function toleranceOf(
  variant: ResolvedVariant,
  baseline: ResolvedVariant,
  own: number | null,
): LossTolerance | null {
  if (variant.model !== baseline.model) return null;
  const kinds = differingSettings(variant.config, baseline.config).map(kindOf);
  if (kinds.includes(null)) return null;
  if (own !== null) return { smoothed: own, first: null };
  return {
    smoothed: Math.max(TOLERANCES.feed, ...kinds.map((kind) => TOLERANCES[kind!])),
    first: kinds.includes("precision") ? null : FIRST_TOLERANCE,
  };
}

function kindOf(path: string): Kind | null {
  return KINDS.find(([start]) => path === start || path.startsWith(`${start}.`))?.[1] ?? null;
}
