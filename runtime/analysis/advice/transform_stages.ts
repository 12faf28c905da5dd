import type { Pipeline, PipelineStage } from "../../result/pipeline.ts";

/** The passes over an image, and what they take: ms a batch. */
export interface TransformStages {
  readonly stages: readonly PipelineStage[];
  readonly sum: number;
  readonly longest: number;
}

/** Returns the timed passes of a pipeline. */
export function transformStages(pipeline: Pipeline): TransformStages {
  const stages = pipeline.stages.filter(({ kind, perBatch }) => kind === "transform" && perBatch !== null);
  const times = stages.map(({ perBatch }) => perBatch!);
  return { stages, sum: times.reduce((sum, time) => sum + time, 0), longest: Math.max(0, ...times) };
}
