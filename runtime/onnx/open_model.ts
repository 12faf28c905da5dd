import { InputError } from "../core/errors.ts";
import { matchesGlob } from "../core/glob.ts";
import { isInstance } from "../core/is_instance.ts";
import { suggestion } from "../core/nearest.ts";
import { formatShape } from "../core/shape.ts";
import { clipped } from "../core/shown.ts";
import { Tensor } from "../graph/op.ts";
import { kindOf, markLayer } from "../nn/layer.ts";
import type { Tensors } from "../nn/multi_input.ts";
import { elementType } from "./format/element_types.ts";
import type { OnnxValueInfo } from "./format/model.ts";
import { addModel } from "./importer.ts";
import { checkOperators, type LoadedModel, loadModel } from "./loaded_model.ts";
import { sourceOf } from "./model_source.ts";
import type { OnnxModel } from "./model_type.ts";
import { fuse } from "./patterns/fuse.ts";
import { formatValue, valueOf } from "./value_info.ts";

/** Reads a model as `onnx` does. */
export function openModel(
  file: string | URL | Uint8Array,
  output: string | null,
  freeze: true | string | readonly string[],
): OnnxModel {
  const source = sourceOf(file);
  const patterns = freeze === true ? ["*"] : [freeze].flat();
  const model = loadModel(source, (name) => patterns.some((pattern) => matchesGlob(pattern, name)));
  checkPatterns(model, patterns);
  const wanted = outputOf(model, output);
  checkOperators(model, wanted);
  if (model.inputs.length === 0) {
    throw new InputError(`onnx: ${model.name} has no input; expected a model that computes its outputs from some`);
  }
  const described = { inputs: model.inputs.map(valueOf), outputs: model.outputs.map(valueOf) };
  const fused = { ...model, graph: fuse(model, [wanted]) };
  const record = model.inputs.length > 1;
  const apply = (given: Tensor | Tensors): Tensor => {
    const inputs = record ? tensorsOf(model, given) : new Map([[model.inputs[0]!.name, tensorOf(model, given)]]);
    for (const info of model.inputs) checkInput(model, info, inputs.get(info.name)!);
    return addModel(fused, apply, inputs, wanted);
  };
  const title = model.name.replace(/\.onnx$/, "");
  const info = { type: "onnx", leaf: false, title, files: model.files, ...record ? { record } : {} };
  return markLayer(Object.assign(apply, described), info);
}

function checkPatterns({ name, initializers }: LoadedModel, patterns: readonly string[]): void {
  const names = [...initializers.keys()];
  const idle = patterns.find((pattern) => pattern !== "*" && !names.some((weight) => matchesGlob(pattern, weight)));
  if (idle === undefined) return;
  throw new InputError(`onnx: freeze "${clipped(idle)}" matches no weight of ${name}${suggestion(idle, names)}`);
}

function outputOf({ name, graph, outputs }: LoadedModel, wanted: string | null): string {
  if (wanted === null) {
    if (outputs.length > 0) return outputs[0]!.name;
    throw new InputError(`onnx: ${name} has no outputs; name a value by the option output`);
  }
  const computed = graph.nodes.flatMap((node) => node.outputs);
  if (computed.includes(wanted)) return wanted;
  throw new InputError(`onnx: ${name} does not compute "${clipped(wanted)}"${suggestion(wanted, computed)}`);
}

function tensorOf({ name, inputs }: LoadedModel, given: Tensor | Tensors): Tensor {
  if (isInstance(given, Tensor)) return given;
  throw new InputError(`onnx: ${name}: expected a tensor for its input "${inputs[0]!.name}", got ${kindOf(given)}`);
}

function tensorsOf({ name, inputs }: LoadedModel, given: Tensor | Tensors): Map<string, Tensor> {
  const names = inputs.map((input) => input.name);
  if (isInstance(given, Tensor)) {
    throw new InputError(
      `onnx: ${name} has ${names.length} inputs, ${names.join(", ")}; expected a record of tensors, got a tensor`,
    );
  }
  return new Map(names.map((input) => {
    const tensor: unknown = (given as Tensors)[input];
    if (isInstance(tensor, Tensor)) return [input, tensor];
    throw new InputError(`onnx: ${name}: expected a tensor for its input "${input}", got ${kindOf(tensor)}`);
  }));
}

/** @throws {InputError} if a tensor has another rank, size or kind of elements than the file says */
function checkInput({ name }: LoadedModel, info: OnnxValueInfo, x: Tensor): void {
  const { name: input, type, shape } = info;
  const fits = shape === null ||
    (x.shape.length === shape.length && shape.every((n, i) => i === 0 || typeof n !== "number" || n === x.shape[i]));
  const kind = type === null || type === 0 ? null : elementType(type, `the input "${input}"`);
  const isFit = fits && (kind === null || (kind.kind === "integer") === (x.dtype === "i32"));
  if (isFit) return;
  throw new InputError(
    `onnx: ${name}: the input "${input}" expects ${formatValue(valueOf(info))}, got ${x.dtype}${
      formatShape(x.shape)
    }; change the data, or ` +
      "export the model with dynamic axes",
  );
}
