import { FIRST_TOLERANCE, type LossTolerance, TOLERANCES } from "../analysis/comparison/losses.ts";
import { EXACT, type OutputTolerance } from "../analysis/comparison/outputs.ts";
import { equal } from "../scenario/duplicates.ts";
import { isPlain } from "../scenario/merge.ts";
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
  ["ema", "feed"],
  ["compile", "kernels"],
  ["recompute", "kernels"],
  ["distribute.compress", "precision"],
  ["distribute.bucket", "kernels"],
  ["distribute.overlap", "kernels"],
  ["amp", "precision"],
];

/**
 * Returns the tolerance of a variant's losses compared with the baseline's: the widest of the settings that differ.
 * Returns null if the variant trains something else, such as another model, data or optimizer.
 *
 * @param own the scenario's `measure.tolerance`, which overrides all limits
 */
export function toleranceOf(
  variant: ResolvedVariant,
  baseline: ResolvedVariant,
  own: number | null,
): LossTolerance | null {
  return variant.model === baseline.model
    ? toleranceOfSettings({ ...variant.config }, { ...baseline.config }, own)
    : null;
}

/** Returns the tolerance of {@linkcode toleranceOf} by the settings alone, for variants with the same model. */
export function toleranceOfSettings(
  settings: Readonly<Record<string, unknown>>,
  baseline: Readonly<Record<string, unknown>>,
  own: number | null,
): LossTolerance | null {
  const kinds = differingSettings(settings, baseline).map(kindOf);
  if (kinds.includes(null)) return null;
  if (own !== null) return { smoothed: own, first: null };
  return {
    smoothed: Math.max(TOLERANCES.feed, ...kinds.map((kind) => TOLERANCES[kind!])),
    first: kinds.includes("precision") ? null : FIRST_TOLERANCE,
  };
}

/** Largest accepted differences of a model's outputs, relative to their root mean square, with and without other precisions. */
const OUTPUTS = { precision: 0.05, kernels: 1e-3 } as const;

/**
 * Returns the tolerance of a variant's outputs; null where it may compute something else.
 *
 * @param losses tolerance of its losses
 * @param given the scenario's `measure.outputs`, which wins unless it is zero
 */
export function outputToleranceOf(losses: LossTolerance | null, given: OutputTolerance): OutputTolerance | null {
  if (losses === null || given.relative > 0 || given.absolute > 0) return losses && given;
  if (losses.smoothed === 0) return EXACT;
  return { relative: losses.first === null ? OUTPUTS.precision : OUTPUTS.kernels, absolute: 0 };
}

function kindOf(path: string): Kind | null {
  return KINDS.find(([start]) => path === start || path.startsWith(`${start}.`))?.[1] ?? null;
}

/** Returns the paths of settings that differ, such as `loader.numWorkers`; ignores `model`. */
function differingSettings(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] {
  const [{ ["model"]: _a, ...settings }, { ["model"]: _b, ...others }] = [a, b];
  return differing(settings, others, []);
}

function differing(a: unknown, b: unknown, path: readonly string[]): string[] {
  if (isPlain(a) && isPlain(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => differing(a[key], b[key], [...path, key]));
  }
  return equal(a, b) ? [] : [path.join(".")];
}
