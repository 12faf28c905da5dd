import type { SourcePlan } from "./plan.ts";
import { RecordFilesSource } from "./record_files.ts";
import type { Source } from "./source.ts";
import { SyntheticSource } from "./synthetic.ts";
import { TensorsSource } from "./tensors.ts";

/**
 * @throws {InputError} if a file cannot be opened
 */
export function openSource(plan: SourcePlan): Source {
  switch (plan.kind) {
    case "recordFiles":
      return new RecordFilesSource(plan);
    case "synthetic":
      return new SyntheticSource(plan);
    case "tensors":
      return new TensorsSource(plan);
  }
}
