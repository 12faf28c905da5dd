import { join } from "node:path";
import type { ImageFilesPlan, SourcePlan } from "./plan.ts";

/** Where a sample of the split comes from, for messages; null where it is no file's. */
export function whereOf(plan: SourcePlan, index: number): string | null {
  switch (plan.kind) {
    case "imageFiles":
      return imageFile(plan, index);
    case "recordFiles": {
      let begin = 0;
      for (const { path, records } of plan.files) {
        if (index < begin + records) return `${path}: record ${index - begin}`;
        begin += records;
      }
      return null;
    }
    case "module":
      return plan.url;
    case "tensors":
    case "synthetic":
      return null;
  }
}

/** The file of a sample. */
export function imageFile({ dir, names, offsets }: ImageFilesPlan, index: number): string {
  const end = (offsets[index + 1] ?? names.length) - 1;
  // Not `subarray`: a text decoder takes no shared memory
  return join(dir, new TextDecoder().decode(names.slice(offsets[index]!, end)));
}
