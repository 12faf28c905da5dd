import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ImageFilesPlan, ModulePlan, SourcePlan } from "./plan.ts";

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
      return modulePath(plan);
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

/** A user's module as users write it: its path where it is a file, else its address. */
export function modulePath({ url }: Pick<ModulePlan, "url">): string {
  return url.startsWith("file:") ? fileURLToPath(url) : url;
}
