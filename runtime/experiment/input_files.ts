import { filesOf } from "../data/sources/sources.ts";
import type { VariantConfig } from "../result/config.ts";

/** Lists the files and folders that a variant reads: its data's, its model's, and its weights. */
export function inputFiles({ data, modelFiles = [], weights }: VariantConfig): string[] {
  return [...filesOf(data), ...modelFiles, ...weights == null ? [] : [weights]];
}
