import type { Pipeline } from "../result/pipeline.ts";
import type { VariantResult } from "../result/variant.ts";
import { batchesPerStep } from "../scenario/config.ts";

/**
 * Returns a variant's input pipeline as if the batches of a step were one: its times of a batch are those of a step, also with
 * gradient accumulation.
 */
export function pipelineOfStep({ pipeline, config }: Pick<VariantResult, "pipeline" | "config">): Pipeline | null {
  const batches = batchesPerStep(config);
  if (pipeline === null || batches === 1) return pipeline;
  return {
    ...pipeline,
    stages: pipeline.stages.map((stage) => ({
      ...stage,
      perBatch: stage.perBatch === null ? null : stage.perBatch * batches,
    })),
    threads: pipeline.threads.map(({ make: { avg, min, max }, ...thread }) => ({
      ...thread,
      make: { avg: avg * batches, min: min * batches, max: max * batches },
    })),
  };
}
