import { dataSchema, type DataSpec } from "../../../runtime/data/sources/sources.ts";

/** A data set of two values a sample from a module of this folder. */
export function moduleSpec(name: string, fields: Record<string, unknown> = {}): DataSpec {
  const module = new URL(`./modules/${name}.ts`, import.meta.url).href;
  return dataSchema.parse({ kind: "source", module, input: { shape: [2], dtype: "f32" }, classes: 200, ...fields });
}
