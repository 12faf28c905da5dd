import type { Pipeline, PipelineStage } from "../../result/pipeline.ts";

/** The passes over an image, and what they take: ms a batch. */
export interface TransformStages {
  readonly stages: readonly PipelineStage[];
  readonly sum: number;
  readonly longest: number;
}

/** Returns ms a batch of `passes` passes in place of `stages`: each takes about as long as the longest of today's. */
export function timeOfPasses({ stages }: TransformStages, passes: number): number {
  const times = stages.map(({ perBatch }) => perBatch!).toSorted((a, b) => b - a);
  return times.slice(0, passes).reduce((sum, time) => sum + time, 0);
}

/** Returns the timed passes of a pipeline. */
export function transformStages(pipeline: Pipeline): TransformStages {
  const stages = pipeline.stages.filter(({ kind, perBatch }) => kind === "transform" && perBatch !== null);
  const times = stages.map(({ perBatch }) => perBatch!);
  return { stages, sum: times.reduce((sum, time) => sum + time, 0), longest: Math.max(0, ...times) };
}
