import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithFasterMaking } from "./step_with_making.ts";
import { transformStages } from "./transform_stages.ts";

/** Runs neighbouring transforms in one pass where the scenario has them run one by one. */
export const fuseTransforms = rule("fuse-transforms", ["pipeline"], (context) => {
  const { parts, pipeline, settings } = context;
  if (settings.data.fuse) return null;
  const { stages, sum, longest } = transformStages(pipeline);
  if (stages.length < 2) return null;
  const saved = sum - longest;
  const time = stepWithFasterMaking(context, saved);
  return {
    message: `${stages.length} transforms each read and write every image: run them in one pass`,
    evidence: [
      { label: "transforms", value: `${ms(sum)} a batch`, where: "pipeline" },
      { label: "the longest of them", value: ms(longest), where: "pipeline" },
    ],
    changes: [{ path: "data.fuse", from: false, to: true }],
    gain: parts.step / time,
    reasoning:
      `one pass touches each pixel once and takes about as long as the longest of today's: ${ms(saved)} less ` +
      `for a batch on its thread, a step of ${ms(time)} in place of ${ms(parts.step)}`,
  };
});
