import { loadDatasets } from "../../data/sources/sources.ts";
import { DEFAULT_TRAITS } from "../../device/traits.ts";
import type { VariantConfig } from "../../result/config.ts";
import type { Result } from "../../result/schema.ts";
import { describeConfig } from "../../scenario/describe.ts";
import type { ResolvedScenario, ResolvedVariant } from "../../scenario/resolve.ts";
import { planOne } from "../../experiment/planning.ts";

/** Floating-point operations that take about as long as moving a byte. */
const FLOPS_PER_BYTE = 10;

/** Settings that do not change the work of a step on the device. */
const SAME_WORK = [
  "measure",
  "sink",
  "monitor",
  "timing",
  "evaluate",
  "target",
  "profile",
  "bottleneck",
  "seeds",
] as const;

/**
 * Returns the expected cost of a step of each variant, in the order of the variants: its time in earlier runs, and its
 * operations and bytes by the plan for one without, scaled to the times of those with both. The plan is made for a typical
 * GPU, so that every machine expects the same.
 *
 * @param earlier results of earlier runs, the latest first
 */
export async function expectedCosts(scenario: ResolvedScenario, earlier: Iterable<Result>): Promise<number[]> {
  await loadDatasets(scenario.variants.map(({ config }) => config.data));
  const times = earlierTimes(earlier);
  const works = new Map<string, number | null>();
  const expected = scenario.variants.map((variant) => {
    const config = describeConfig(variant.config) as VariantConfig;
    const key = workKey(config);
    let work = works.get(key);
    if (work === undefined) {
      work = workOf(variant);
      works.set(key, work);
    }
    return { work, time: times.get(timeKey(config)) ?? null };
  });
  const known = expected.flatMap(({ work }) => work === null ? [] : [work]);
  const middle = known.toSorted((a, b) => a - b)[known.length >> 1] ?? 1;
  const both = expected.filter(({ work, time }) => work !== null && time !== null);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const scale = both.length === 0 ? 1 : sum(both.map(({ time }) => time!)) / sum(both.map(({ work }) => work!));
  return expected.map(({ work, time }) => time ?? (work ?? middle) * scale);
}

/** Returns the work of a step: operations, with bytes in their terms. Null without a model, or if the plan fails. */
function workOf(variant: ResolvedVariant): number | null {
  const target = { traits: DEFAULT_TRAITS, adapterName: "none", memory: { bytes: null, source: "none" } };
  const { compiled } = planOne(variant, target);
  if (compiled === null) return null;
  return compiled.plan.nodes.reduce((work, { flops, bytes }) => work + flops + FLOPS_PER_BYTE * bytes, 0);
}

/** Returns the wall time of a step in ms by the settings of the variant. */
function earlierTimes(results: Iterable<Result>): Map<string, number> {
  const times = new Map<string, number>();
  for (const { variants } of results) {
    for (const { config, blocks } of variants) {
      const key = timeKey(config);
      const steps = blocks.reduce((total, block) => total + block.steps.length, 0);
      if (times.has(key) || steps === 0) continue;
      times.set(key, blocks.reduce((total, { wall }) => total + wall, 0) / steps);
    }
  }
  return times;
}

function timeKey({ measure: _, ...config }: VariantConfig): string {
  return JSON.stringify(config);
}

function workKey(config: VariantConfig): string {
  return JSON.stringify({ ...config, ...Object.fromEntries(SAME_WORK.map((key) => [key, null])) });
}
