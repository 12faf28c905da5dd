import type { Shape } from "../core/shape.ts";
import type { Pipeline } from "../scenario/pipeline.ts";
import type { PipelineRunner } from "./pipeline_runner.ts";

/** Options of `openPipeline`. */
export interface PipelineOptions {
  /** Shape of a batch for the first model, batch dimension first. */
  readonly input: Shape;
  /** Seed of weights and input; default 1. */
  readonly seed?: number;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

/**
 * Opens a device and prepares a pipeline on it.
 *
 * ```ts ignore
 * await using runner = await openPipeline(two, { input: [8, 3, 64, 64] });
 * const { total } = await runner.measure({ timing: "event" });
 * ```
 *
 * @throws {InputError} if the shapes of the stages do not fit
 * @throws {DeviceError} if there is no adapter
 */
export async function openPipeline(pipeline: Pipeline, options: PipelineOptions): Promise<PipelineRunner> {
  const { preparePipeline } = await import("./pipeline_runner.ts");
  return await preparePipeline(pipeline, options);
}
