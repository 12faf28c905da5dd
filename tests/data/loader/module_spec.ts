import { dataSchema, type DataSpec } from "../../../runtime/data/sources/sources.ts";

/** Returns a data set with two values per sample from a module in `modules`. */
export function moduleSpec(name: string, fields: Record<string, unknown> = {}): DataSpec {
  const module = new URL(`./modules/${name}.ts`, import.meta.url).href;
  return dataSchema.parse({ kind: "source", module, input: { shape: [2], dtype: "f32" }, classes: 200, ...fields });
}
