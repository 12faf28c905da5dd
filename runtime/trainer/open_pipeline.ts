import type { Pipeline } from "../scenario/pipeline.ts";
import type { PipelineOptions, PipelineRunner } from "./pipeline_runner.ts";

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
