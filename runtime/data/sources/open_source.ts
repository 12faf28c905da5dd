import type { SourcePlan } from "./plan.ts";
import { RecordFilesSource } from "./record_files.ts";
import type { Source } from "./source.ts";
import { SyntheticSource } from "./synthetic.ts";
import { TensorsSource } from "./tensors.ts";

/**
 * Decoders and the like are imported where they are used, since each worker comes through here.
 *
 * @param readDelay milliseconds that a source of two stages sleeps after the first; others leave it to the caller
 * @throws {InputError} if a file cannot be opened, or a module not be imported
 */
export async function openSource(plan: SourcePlan, readDelay: number): Promise<Source> {
  switch (plan.kind) {
    case "recordFiles":
      return new RecordFilesSource(plan);
    case "imageFiles":
      return await (await import("./image_files.ts")).ImageFilesSource.open(plan, readDelay);
    case "synthetic":
      return new SyntheticSource(plan);
    case "tensors":
      return new TensorsSource(plan);
    case "module":
      return await (await import("./module_source.ts")).ModuleSource.open(plan);
  }
}
