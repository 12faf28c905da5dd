import { typeName } from "./format/element_types.ts";
import type { OnnxValueInfo } from "./format/model.ts";
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

/**
 * Returns the names of the data's fields for the inputs of a model, in the same order: those of the inputs where the data
 * can have them, otherwise with `_` for other characters, such as `x_1` for `x.1` and `input_` for `input`.
 */
export function inputFields(inputs: readonly string[]): string[] {
  const taken = new Set(inputs.filter(isField));
  return inputs.map((input) => {
    if (isField(input)) return input;
    const plain = input.replaceAll(/\W+/g, "_").slice(0, LONGEST);
    const letters = /^[a-z]/i.test(plain) ? plain : `input_${plain}`;
    const field = isField(letters) ? letters : `${letters}_`;
    let free = field;
    for (let n = 2; taken.has(free); n++) free = `${field}_${n}`;
    taken.add(free);
    return free;
  });
}

/** Longest part of a name that is kept. */
const LONGEST = 60;

/** Returns true for a name that a field of the data can have beside `input` and `target`. */
function isField(name: string): boolean {
  return /^(?!(input|target)$)[a-zA-Z]\w*$/.test(name);
}
