import { isRandom } from "../../data/transforms/definitions.ts";
import { ms, percent } from "./evidence.ts";
import { stepWithFasterMaking } from "./faster_making.ts";
import { rule } from "./rule.ts";

/** Waiting below this fraction of a step is not worth a change. */
const WAITING = 0.03;

/** Fraction of the time of making a batch from which on a stage is slow. */
const SHARE = 0.4;

/** Names the stage that takes most of making a batch, which the table of the pipeline names, if training waits for batches. */
export const slowStage = rule("slow-stage", ["pipeline", "making"], (context) => {
  const { making, parts, pipeline, transforms } = context;
  const stages = pipeline.stages.filter(({ share, perBatch }) => share !== null && perBatch !== null);
  const stage = stages.find(({ name }) => name === pipeline.bound.stage);
  if (stage === undefined || stage.share! < SHARE || parts.reader / parts.step < WAITING) return null;
  const others = stages.filter((other) => other !== stage);
  if (others.length === 0) return null;
  const next = others.reduce((a, b) => b.perBatch! > a.perBatch! ? b : a);
  const saved = Math.max(0, stage.perBatch! - next.perBatch!);
  const time = stepWithFasterMaking(context, saved);
  const draws = transforms?.some(({ spec }) => isRandom(spec)) ?? false;
  return {
    severity: "warning",
    message: `${stage.name} takes ${percent(stage.share!)} of making a batch: ${
      stage.kind === "transform"
        ? draws
          ? "make it cheaper, or do it once, in the files"
          : "make it cheaper, or cache its output with data.cache"
        : "make it cheaper, or cache its output"
    }`,
    evidence: [
      { label: stage.name, value: `${ms(stage.perBatch!)} of ${ms(making.total)} a batch`, where: "pipeline" },
      { label: `next longest, ${next.name}`, value: ms(next.perBatch!), where: "pipeline" },
      { label: "reader cost", value: `${ms(parts.reader)} of ${ms(parts.step)}`, where: "queues" },
    ],
    changes: [],
    gain: parts.step / time,
    reasoning:
      `if it took no longer than the next longest stage, a batch would take ${ms(saved)} less on its thread, and a ` +
      `step ${ms(time)} instead of ${ms(parts.step)}`,
  };
});
