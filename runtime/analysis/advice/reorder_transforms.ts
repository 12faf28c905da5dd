import { type Step, stepsOf } from "../../data/transforms/definitions.ts";
import { groupSteps } from "../../data/transforms/grouping.ts";
import type { TransformSpec } from "../../data/transforms/schema.ts";
import type { Change } from "../../result/finding.ts";
import type { PipelineStage } from "../../result/pipeline.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithFasterMaking } from "./faster_making.ts";
import { timeOfPasses, transformStages } from "./transform_stages.ts";

/**
 * Proposes removing conversions back and forth between layouts and number types, which keep adjacent transforms from being
 * one pass. The images stay the same.
 */
export const reorderTransforms = rule("reorder-transforms", ["pipeline", "sample", "transforms"], (context) => {
  const { parts, pipeline, sample, settings, transforms: steps } = context;
  const { fuse, transforms } = settings.data;
  const detours = detoursOf(steps);
  const timed = transformStages(pipeline);
  const { stages, sum, longest } = timed;
  if (detours.size === 0 || stages.length < 2) return null;
  const left = transforms.filter((spec) => !detours.has(spec));
  const after = settings.data.cache?.after ?? 0;
  const before = transforms.slice(0, after).filter((spec) => !detours.has(spec)).length;
  const passes = groupSteps(stepsOf(left, sample, 0, "data"), true).length;
  const saved = fuse ? sum - timeOfPasses(timed, passes) : timeOf(stages, steps, detours);
  const time = stepWithFasterMaking(context, saved);
  return {
    message: `${detours.size} of ${transforms.length} transforms only convert back and forth: remove them`,
    evidence: [
      { label: "passes over an image", value: String(stages.length), where: "pipeline" },
      { label: "transforms", value: `${ms(sum)} a batch, the longest ${ms(longest)}`, where: "pipeline" },
    ],
    changes: [
      { path: "data.transforms", from: plain(transforms), to: plain(left) },
      ...before === after ? [] : [{ path: "data.cache.after", from: after, to: before }],
    ],
    gain: parts.step / time,
    reasoning: `${fuse ? "the rest takes about as long as the longest current passes" : "without their passes"}: ${
      ms(saved)
    } less per batch on its thread, a step of ${ms(time)} instead of ${ms(parts.step)}`,
  };
});

/** Returns ms per batch of the passes of removed transforms, if each transform is a separate pass. */
function timeOf(
  stages: readonly PipelineStage[],
  steps: readonly Step[],
  leftOut: ReadonlySet<TransformSpec>,
): number {
  return groupSteps(steps, false).reduce((sum, { begin, end }, i) => {
    const spared = end > begin && steps.slice(begin, end).every(({ spec }) => leftOut.has(spec));
    return sum + (spared ? stages[i]?.perBatch ?? 0 : 0);
  }, 0);
}

/**
 * Returns the transforms that only convert back and forth: changes of the memory order, since the loader produces the order
 * that the model needs anyway, and of the number type with only pixel moves in between. None if a user function may see
 * them.
 */
export function detoursOf(steps: readonly Step[]): ReadonlySet<TransformSpec> {
  if (steps.some(({ def }) => def.userCode)) return new Set();
  const retypes = (step: Step | undefined, dtype: "u8" | "f32") =>
    step?.action.act === "form" && step.input.dtype !== dtype && step.output.dtype === dtype;
  const kept = steps.filter(({ action, input, output }) => action.act !== "form" || input.dtype !== output.dtype);
  for (let i = 0; i < kept.length; i++) {
    if (!retypes(kept[i], "f32")) continue;
    let end = i + 1;
    while (kept[end]?.action.act === "window") end++;
    if (!retypes(kept[end], "u8")) continue;
    kept.splice(end, 1);
    kept.splice(i--, 1);
  }
  return new Set(steps.filter((step) => !kept.includes(step)).map(({ spec }) => spec));
}

function plain(transforms: readonly TransformSpec[]): Change["to"] {
  return JSON.parse(JSON.stringify(transforms));
}
