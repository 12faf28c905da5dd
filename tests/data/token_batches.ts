import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { LoaderOptions } from "../../runtime/data/loader/options.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import { DEFAULTS } from "./fixtures.ts";

/** Loads the first `count` batches of a source of tokens in order: the inputs and targets of each. */
export async function tokenBatches(
  spec: DataSpec,
  options: Partial<LoaderOptions> = {},
  count = 1,
): Promise<{ input: number[]; target: number[] }[]> {
  const plain = { ...DEFAULTS, shuffle: false, layout: "row" } as const;
  await using loader = await createLoader(spec, { ...plain, ...options });
  const kept: { input: number[]; target: number[] }[] = [];
  for (let i = 0; i < count; i++) {
    const { tensors, release } = await loader.next();
    kept.push({ input: [...tensors["input"]!], target: [...tensors["target"]!] });
    release();
  }
  return kept;
}
