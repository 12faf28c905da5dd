import { InputError } from "../core/errors.ts";
import { matchesGlob } from "../core/glob.ts";
import { isInstance } from "../core/is_instance.ts";
import { suggestion } from "../core/nearest.ts";
import { formatShape } from "../core/shape.ts";
import { clipped, reasonOf } from "../core/shown.ts";
import { Tensor } from "../graph/op.ts";
import { kindOf, markLayer } from "../nn/layer.ts";
import type { Tensors } from "../nn/multi_input.ts";
import { elementType } from "./format/element_types.ts";
import type { OnnxNode, OnnxValueInfo } from "./format/model.ts";
import { addModel } from "./importer.ts";
import { roleOf } from "./input_roles.ts";
import { checkOperators, type LoadedModel, loadModel, type ModelSource } from "./loaded_model.ts";
import type { OnnxModel, OnnxTensor, OnnxValue } from "./model_type.ts";
import { namesReadBy, neededNodes } from "./needed_nodes.ts";
import { fuse } from "./patterns/fuse.ts";
import { formatValue, inputsOf, valueOf } from "./value_info.ts";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { LARGEST, readFile } from "../core/files.ts";

/** Reads a model as `onnx` does. */
export function openModel(
  file: string | URL | Uint8Array,
  output: string | null,
  freeze: true | string | readonly string[],
  train: string | readonly string[] = [],
): OnnxModel {
  const source = sourceOf(file);
  const [frozen, trained] = [freeze === true ? ["*"] : [freeze].flat(), [train].flat()];
  const matches = (patterns: readonly string[]) => (name: string) =>
    patterns.some((pattern) => matchesGlob(pattern, name));
  const model = loadModel(source, matches(frozen), matches(trained));
  checkPatterns(model, "freeze", frozen, () => true);
  checkPatterns(model, "train", trained, ({ usage }) => usage === "trained");
  const wanted = outputOf(model, output);
  checkOperators(model, wanted);
  if (model.inputs.length === 0) {
    throw new InputError(`onnx: ${model.name} has no input; expected a model that computes its outputs from some`);
  }
  const described = {
    inputs: inputsOf(model.inputs),
    outputs: model.outputs.map(valueOf),
    tensors: tensorsFor(model, wanted),
  };
  const fused = { ...model, graph: fuse(model, [wanted]) };
  const record = model.inputs.length > 1;
  const apply = (given: Tensor | Tensors): Tensor => {
    const inputs = record
      ? tensorsOf(model, described.inputs, given)
      : new Map([[model.inputs[0]!.name, tensorOf(model, given)]]);
    for (const info of model.inputs) checkInput(model, info, inputs.get(info.name)!);
    return addModel(fused, apply, inputs, wanted);
  };
  const title = model.name.replace(/\.onnx$/, "");
  const info = { type: "onnx", leaf: false, title, files: model.files, ...record ? { record } : {} };
  return markLayer(Object.assign(apply, described), info);
}

/** @throws {InputError} if a pattern matches no tensor for which it can be followed */
function checkPatterns(
  { name, tensors }: LoadedModel,
  option: string,
  patterns: readonly string[],
  isFollowed: (tensor: OnnxTensor) => boolean,
): void {
  for (const pattern of patterns) {
    const matching = tensors.filter((tensor) => matchesGlob(pattern, tensor.name));
    if (pattern === "*" || matching.some(isFollowed)) continue;
    const [first] = matching;
    throw new InputError(
      first === undefined
        ? `onnx: ${option} "${clipped(pattern)}" matches no weight of ${name}${
          suggestion(pattern, tensors.map((tensor) => tensor.name))
        }`
        : `onnx: ${option} "${clipped(pattern)}" matches only what cannot be trained, such as ${
          clipped(first.name)
        } (${first.usage}: ${first.reason}); expected floats that a layer reads`,
    );
  }
}

/** Returns the tensors of a model; those on which no output depends are constants. */
function tensorsFor({ graph, tensors }: LoadedModel, output: string): OnnxTensor[] {
  const read = new Set(neededNodes(graph, [output]).flatMap((node) => [...namesReadBy(node), ...node.outputs]));
  return tensors.map((tensor) =>
    tensor.usage === "constant" || read.has(tensor.name) ? tensor : { ...tensor, usage: "constant", reason: "not used" }
  );
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

/** Returns the tensors of a record by the names of the inputs, which are its own or those of the data's fields. */
function tensorsOf(
  { name, graph }: LoadedModel,
  inputs: readonly OnnxValue[],
  given: Tensor | Tensors,
): Map<string, Tensor> {
  if (isInstance(given, Tensor)) {
    const fields = clipped(inputs.map(({ field }) => field).join(", "), 200);
    throw new InputError(
      `onnx: ${name} has ${inputs.length} inputs, ${fields}; expected a record of tensors, got a tensor${
        withoutWeights(graph, inputs.map((input) => input.name))
      }`,
    );
  }
  const keyOf = ({ name, field }: OnnxValue) => Object.hasOwn(given, name) ? name : field!;
  const valueFor = (input: OnnxValue): unknown => Object.hasOwn(given, keyOf(input)) ? given[keyOf(input)] : undefined;
  return new Map(inputs.map((input) => {
    const tensor = valueFor(input);
    if (isInstance(tensor, Tensor)) return [input.name, tensor];
    throw new InputError(
      `onnx: ${name}: expected a tensor for its input "${clipped(keyOf(input))}", got ${kindOf(tensor)}${
        withoutWeights(graph, inputs.filter((other) => !isInstance(valueFor(other), Tensor)).map((other) => other.name))
      }`,
    );
  }));
}

/** Returns the advice for a file without weights, if inputs of the model are weights of layers. */
function withoutWeights({ nodes }: LoadedModel["graph"], names: readonly string[]): string {
  const isWeight = (node: OnnxNode, i: number) => i > 0 && ["weight", "bias", "affine"].includes(roleOf(node, i));
  const found = names.find((name) =>
    nodes.some((node) => node.type !== "MatMul" && node.inputs.some((input, i) => input === name && isWeight(node, i)))
  );
  return found === undefined
    ? ""
    : `. A layer reads "${
      clipped(found)
    }" as a weight, which the file does not have: export the model with its parameters`;
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

/**
 * Reads the file of a model.
 *
 * @throws {InputError} if there is no such file, or it cannot be read
 */
export function sourceOf(file: string | URL | Uint8Array): ModelSource {
  if (typeof file !== "string" && !isInstance(file, URL)) return { content: file, name: "model", path: null };
  const path = typeof file === "string" ? file : pathOf(file);
  try {
    return { content: readFile(path, LARGEST.model), name: basename(path), path };
  } catch (error) {
    if (isInstance(error, Deno.errors.NotFound)) {
      throw new InputError(`onnx: there is no file ${path}`, { cause: error });
    }
    throw new InputError(`onnx: cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function pathOf(url: URL): string {
  if (url.protocol === "file:") return fileURLToPath(url);
  throw new InputError(`onnx: expected a path or a file URL, got ${clipped(url.href)}; download the file first`);
}
