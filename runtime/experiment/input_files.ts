import { filesOf } from "../data/sources/sources.ts";
import type { VariantConfig } from "../result/config.ts";

/** Lists the files and folders that a variant reads: its data's, and its weights. */
export function inputFiles({ data, weights }: VariantConfig): string[] {
  return [...filesOf(data), ...weights == null ? [] : [weights]];
}
