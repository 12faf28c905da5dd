import type { Pipeline, PipelineStage } from "../../result/pipeline.ts";

/** Passes over an image, with times in ms per batch. */
export interface TransformStages {
  readonly stages: readonly PipelineStage[];
  readonly sum: number;
  readonly longest: number;
  readonly shortest: number;
}

/** Estimates ms per batch of `passes` passes instead of `stages`, by the longest of the current passes. */
export function timeOfPasses({ stages }: TransformStages, passes: number): number {
  const times = stages.map(({ perBatch }) => perBatch!).toSorted((a, b) => b - a);
  return times.slice(0, passes).reduce((sum, time) => sum + time, 0);
}

/** Returns the timed passes of a pipeline. */
export function transformStages(pipeline: Pipeline): TransformStages {
  const stages = pipeline.stages.filter(({ kind, perBatch }) => kind === "transform" && perBatch !== null);
  const times = stages.map(({ perBatch }) => perBatch!);
  const sum = times.reduce((total, time) => total + time, 0);
  return { stages, sum, longest: Math.max(0, ...times), shortest: Math.min(sum, ...times) };
}
