/**
 * Runs ONNX models on inputs and compares their outputs with given ones: the format of ONNX's own test data, a folder with
 * `model.onnx` and the tensors of its inputs and outputs.
 *
 * @module
 */
import { join } from "node:path";
import { Graph } from "../../runtime/graph/graph.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import { type Mode, Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { initialize } from "../../runtime/nn/initialize.ts";
import { typeName } from "../../runtime/onnx/format/element_types.ts";
import { type Elements, elementsOf, readTensor } from "../../runtime/onnx/format/tensor.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { checkOperators, loadModel } from "../../runtime/onnx/loaded_model.ts";
import { Constant, type Value } from "../../runtime/onnx/value.ts";
import { evaluate } from "./evaluate.ts";

/** Kinds of inputs that are given as constants. */
export type ConstantInputs = "none" | "integers" | "all";

/** An output with what it should be. */
export interface OutputPair {
  readonly name: string;
  readonly got: { readonly shape: readonly number[]; readonly values: ArrayLike<number> };
  readonly want: Elements;
}

/** Computes the outputs of a folder's model. */
export async function runOnnxCase(
  folder: string,
  constants: ConstantInputs,
  mode: Mode = "infer",
): Promise<OutputPair[]> {
  const path = join(folder, "model.onnx");
  const model = loadModel({ content: await Deno.readFile(path), name: "model.onnx", path }, () => false);
  const data = join(folder, "test_data_set_0");
  const graph = new Graph(mode);
  const leaves = new Map<string, ArrayLike<number>>();
  const inputs = new Map<string, Value>();
  for (const [i, { name, type }] of model.inputs.entries()) {
    const { kind, shape, values } = await tensorFile(join(data, `input_${i}.pb`));
    const isConstant = constants === "all" || (constants === "integers" && kind !== "float") || values.length === 0;
    if (isConstant) {
      inputs.set(name, Constant.of(kind, shape, values, typeName(type ?? 0)));
      continue;
    }
    const leaf = `@${i}`;
    inputs.set(name, graph.leaf("input", leaf, rowMajor(shape, kind === "integer" ? "i32" : "f32")));
    leaves.set(leaf, values);
  }
  const names = model.outputs.map(({ name }) => name).filter((name) => name !== "");
  for (const name of names) checkOperators(model, name);
  const values = addValues(model, model, graph, inputs, names);
  const tensors = values.filter((value): value is Tensor => value instanceof Tensor);
  for (const leaf of [...graph.leaves("parameter"), ...graph.leaves("state")]) {
    const initializer = leafAttrs(leaf)!.initializer!;
    leaves.set(leaf.node.id, initialize(initializer, leaf.shape, 1, leaf.node.id));
  }
  const computed = tensors.length === 0 ? [] : await evaluate(tensors, leaves);
  const pairs: OutputPair[] = [];
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const got = value instanceof Tensor
      ? { shape: value.shape, values: computed[tensors.indexOf(value)]! }
      : { shape: value.shape, values: value.values };
    pairs.push({ name: names[i]!, got, want: await tensorFile(join(data, `output_${i}.pb`)) });
  }
  return pairs;
}

async function tensorFile(path: string): Promise<Elements> {
  const tensor = readTensor(await Deno.readFile(path));
  return elementsOf(tensor, () => {
    throw new Error(`${path}: elements in another file`);
  });
}

/** Returns what differs between an output and what it should be, or null. */
export function difference({ name, got, want }: OutputPair, tolerance = 1e-3): string | null {
  if (got.shape.length !== want.shape.length || got.shape.some((n, i) => n !== want.shape[i])) {
    return `${name}: shape [${got.shape}] instead of [${want.shape}]`;
  }
  let largest = 1e-3;
  for (const value of want.values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  for (const [i, wanted] of want.values.entries()) {
    const value = got.values[i]!;
    if (Object.is(value, wanted) || value === wanted || Math.abs(value - wanted) <= tolerance * largest) continue;
    return `${name}[${i}]: ${value} instead of ${wanted}`;
  }
  return null;
}
