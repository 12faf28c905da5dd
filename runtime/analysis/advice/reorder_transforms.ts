import type { Finding } from "../../result/finding.ts";
import type { PipelineStage } from "../../result/pipeline.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import type { TransformSettings } from "./settings.ts";
import { stepWithFasterMaking } from "./step_with_making.ts";
import { transformStages } from "./transform_stages.ts";

/** They only say in which order an image is kept, which the loader turns into what the model wants anyway. */
const ORDERS: ReadonlySet<string> = new Set(["chwToHwc", "hwcToChw"]);

/** They move pixels or set them to zero, so that converting before them and back after them does nothing. */
const MOVES: ReadonlySet<string> = new Set(["randomCrop", "centerCrop", "randomHorizontalFlip", "cutout"]);

/**
 * Leaves conversions out that go to and fro between layouts and number types, which keep neighbours from being one pass.
 * The images stay the same.
 */
export const reorderTransforms = rule("reorder-transforms", ["pipeline"], (context) => {
  const { parts, pipeline, settings } = context;
  const { transforms } = settings.data;
  const uniform = withoutDetours(transforms);
  const { stages, sum, longest } = transformStages(pipeline);
  if (uniform === null || uniform.length === transforms.length || stages.length < 2) return null;
  const { fuse } = settings.data;
  const saved = fuse ? sum - longest : timeOf(stages, transforms, uniform);
  const time = stepWithFasterMaking(context, saved);
  const left = transforms.length - uniform.length;
  return {
    message: `${left} of ${transforms.length} transforms only convert to and fro: leave them out`,
    evidence: [
      { label: "passes over an image", value: String(stages.length), where: "pipeline" },
      { label: "transforms", value: `${ms(sum)} a batch, the longest ${ms(longest)}`, where: "pipeline" },
    ],
    changes: [{ path: "data.transforms", from: plain(transforms), to: plain(uniform) }],
    gain: parts.step / time,
    reasoning: `${fuse ? "what is left is one pass of about the longest of today's" : "without their passes"}: ${
      ms(saved)
    } less for a batch on its thread, a step of ${ms(time)} in place of ${ms(parts.step)}`,
  };
});

/** ms a batch of the passes that do not stay, where each transform is a pass of its own. */
function timeOf(
  stages: readonly PipelineStage[],
  transforms: readonly TransformSettings[],
  staying: readonly TransformSettings[],
): number {
  const passes = transforms.filter(({ kind }) => kind !== "oneHot"); // which is of the target
  return passes.reduce((sum, one, i) => sum + (staying.includes(one) ? 0 : stages[i]?.perBatch ?? 0), 0);
}

/** The transforms without conversions that change nothing; null where a function of the user's may see them. */
export function withoutDetours(transforms: readonly TransformSettings[]): TransformSettings[] | null {
  if (transforms.some(({ kind }) => kind === "map")) return null;
  const kept = transforms.filter(({ kind }) => !ORDERS.has(kind));
  for (let i = 0; i < kept.length; i++) {
    if (kept[i]!.kind !== "toF32") continue;
    let end = i + 1;
    while (end < kept.length && MOVES.has(kept[end]!.kind)) end++;
    if (kept[end]?.kind !== "toU8") continue;
    kept.splice(end, 1);
    kept.splice(i--, 1);
  }
  return kept;
}

function plain(transforms: readonly TransformSettings[]) {
  return JSON.parse(JSON.stringify(transforms)) as Finding["changes"][number]["to"];
}
