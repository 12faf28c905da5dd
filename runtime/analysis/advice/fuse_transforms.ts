import { groupSteps } from "../../data/transforms/grouping.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithFasterMaking } from "./faster_making.ts";
import { timeOfPasses, transformStages } from "./transform_stages.ts";

/** Proposes running adjacent transforms in one pass if the scenario runs them one by one. */
export const fuseTransforms = rule("fuse-transforms", ["pipeline", "transforms"], (context) => {
  const { parts, pipeline, settings, transforms } = context;
  if (settings.data.fuse) return null;
  const timed = transformStages(pipeline);
  const { stages, sum, longest } = timed;
  const passes = groupSteps(transforms, true).length;
  if (stages.length <= passes) return null;
  const saved = sum - timeOfPasses(timed, passes);
  const time = stepWithFasterMaking(context, saved);
  return {
    message: `${stages.length} transforms each read and write every image: run them in ${
      passes === 1 ? "one pass" : `${passes} passes`
    }`,
    evidence: [
      { label: "transforms", value: `${ms(sum)} a batch`, where: "pipeline" },
      { label: "longest transform", value: ms(longest), where: "pipeline" },
    ],
    changes: [{ path: "data.fuse", from: false, to: true }],
    gain: parts.step / time,
    reasoning:
      `a fused pass takes about as long as the longest current pass: ${ms(saved)} less per batch on its thread, ` +
      `a step of ${ms(time)} instead of ${ms(parts.step)}`,
  };
});
