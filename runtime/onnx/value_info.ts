import { typeName } from "./format/element_types.ts";
import type { OnnxValueInfo } from "./format/model.ts";
import { inputFields } from "./input_fields.ts";
import type { OnnxValue } from "./model_type.ts";

/** Describes an input or output of a file. */
export function valueOf({ name, type, shape }: OnnxValueInfo): OnnxValue {
  return { name, type: type === null ? "not a tensor" : type === 0 ? "unknown" : typeName(type), shape };
}

/** Describes the inputs of a file, with the data's fields for them if there are several. */
export function inputsOf(infos: readonly OnnxValueInfo[]): OnnxValue[] {
  const fields = inputFields(infos.map(({ name }) => name));
  return infos.map((info, i) => ({ ...valueOf(info), ...infos.length > 1 ? { field: fields[i]! } : {} }));
}

/** Formats an input's or output's type: `float32[batch, 3, 224, 224]`, with `?` for a size without a name. */
export function formatValue({ type, shape }: OnnxValue): string {
  return shape === null ? type : `${type}[${shape.map((size) => size ?? "?").join(", ")}]`;
}
