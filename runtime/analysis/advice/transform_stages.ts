import type { PipelineStage } from "../../result/pipeline.ts";
import type { VariantResult } from "../../result/variant.ts";

/** The passes over an image, and what they take: ms a batch. */
export interface TransformStages {
  readonly stages: readonly PipelineStage[];
  readonly sum: number;
  readonly longest: number;
}

/** Those that were timed. */
export function transformStages({ pipeline }: Pick<VariantResult, "pipeline">): TransformStages {
  const stages = pipeline?.stages.filter(({ kind, perBatch }) => kind === "transform" && perBatch !== null) ?? [];
  const times = stages.map(({ perBatch }) => perBatch!);
  return { stages, sum: times.reduce((sum, time) => sum + time, 0), longest: Math.max(0, ...times) };
}
