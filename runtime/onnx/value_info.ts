import { typeName } from "./format/element_types.ts";
import type { OnnxValueInfo } from "./format/model.ts";
import type { OnnxValue } from "./model_type.ts";

/** Describes an input or output of a file. */
export function valueOf({ name, type, shape }: OnnxValueInfo): OnnxValue {
  return { name, type: type === null ? "not a tensor" : type === 0 ? "unknown" : typeName(type), shape };
}

/** Formats an input's or output's type: `float32[batch, 3, 224, 224]`, with `?` for a size without a name. */
export function formatValue({ type, shape }: OnnxValue): string {
  return shape === null ? type : `${type}[${shape.map((size) => size ?? "?").join(", ")}]`;
}
