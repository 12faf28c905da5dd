import type { DatasetDescription } from "../data/describe.ts";

/** The order in which a loader writes samples, so that batches need no conversion on the device. */
export function loaderLayout(dataset: DatasetDescription): "nhwc" | "row" {
  return dataset.input.shape.length === 3 ? "nhwc" : "row";
}
