import { imageLayout } from "../compile/variant.ts";
import type { Layout } from "../core/layout.ts";
import type { DatasetDescription } from "../data/describe.ts";
import type { Config } from "../scenario/config.ts";

/** The order in which a loader writes samples, so that batches need no conversion on the device. */
export function loaderLayout(dataset: DatasetDescription, { compile }: Pick<Config, "compile">): Layout {
  return dataset.input.shape.length === 3 && imageLayout(compile.layout) === "nhwc" ? "nhwc" : "row";
}
