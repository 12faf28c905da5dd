import { InputError } from "../core/errors.ts";
import { clipped } from "../core/shown.ts";
import { Budget, within } from "./budget.ts";
import { checkModel } from "./check_model.ts";
import { ExternalFiles, sizeOfFile } from "./external_data.ts";
import { elementType, typeName } from "./format/element_types.ts";
import { type OnnxFunction, type OnnxGraph, type OnnxValueInfo, readModel } from "./format/model.ts";
import { checkTensor, elementsOf, headOf, type StoredTensor } from "./format/tensor.ts";
import { lifted, nodesOf } from "./lifted_tensors.ts";
import type { OnnxTensor } from "./model_type.ts";
import { neededNodes } from "./needed_nodes.ts";
import { operatorKey } from "./operator.ts";
import { OPERATOR_BY_KEY } from "./registry.ts";
import { separated } from "./shared_initializers.ts";
import { usesOf } from "./tensor_uses.ts";
import { type TrainingChoice, usageOf } from "./training_rule.ts";
import { Constant } from "./value.ts";

/** A file that was read, with what it is called in messages. */
export interface LoadedModel {
  /** Name of the file, for messages and reports. */
  readonly name: string;
  readonly producer: string;
  readonly graph: OnnxGraph;
  /** Version of the standard's operators. */
  readonly opset: number;
  /** Operators that the file defines, by {@linkcode operatorKey}. */
  readonly functions: ReadonlyMap<string, OnnxFunction>;
  /** Inputs that are not initializers. */
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  /** Weights and constants by name. */
  readonly initializers: ReadonlyMap<string, Constant>;
  /** Use of each initializer in training. */
  readonly tensors: readonly OnnxTensor[];
  /** Names of trained weights that the file holds quantised, by the value that a node computes from them. */
  readonly dequantized: ReadonlyMap<string, string>;
  /** Paths of the file and of those with its tensors; empty for a model from memory. */
  readonly files: readonly string[];
  /** Size of those files, or of a model from memory. */
  readonly bytes: number;
  /** Checks that the file with an initializer's elements is there and complete; throws {@linkcode InputError} otherwise. */
  checkFile(initializer: string): void;
  /** Returns a tensor as a constant, which is read once. */
  constant(tensor: StoredTensor): Constant;
}

/** Content of a model file, and its name. */
export interface ModelSource {
  readonly content: Uint8Array;
  readonly name: string;
  /** Path of the file; null for a model from memory. */
  readonly path: string | null;
}

/** Most elements of a file that are looked at to tell parameters from other tensors. */
const MAX_LOOKED_AT = 1 << 24;

/**
 * Reads a model.
 *
 * @param isFrozen returns true for the name of a tensor that is not trained
 * @param isTrained returns true for the name of a tensor that is trained whatever the graph uses it for
 * @throws {InputError} if the file is damaged
 */
export function loadModel(
  source: ModelSource,
  isFrozen: TrainingChoice["isFrozen"],
  isTrained: TrainingChoice["isTrained"] = () => false,
): LoadedModel {
  return within(new Budget(source.content.length), () => load(source, { isFrozen, isTrained }));
}

function load({ content, name, path }: ModelSource, choice: TrainingChoice): LoadedModel {
  const model = named(name, () => {
    const read = readModel(content);
    checkModel(read);
    for (const tensor of read.graph.initializers) checkTensor(tensor);
    return read;
  });
  const files = new ExternalFiles(path);
  const elements = (tensor: StoredTensor) => elementsOf(tensor, (place) => files.read(place, tensor.name));
  const { graph: whole, fromNodes } = lifted(model.graph);
  const graph = named(name, () => separated(whole, (tensor) => elements(tensor).values));
  const stored = new Map(graph.initializers.map((tensor) => {
    const { kind, name: type } = elementType(tensor.type, `the tensor "${clipped(tensor.name)}"`);
    const { shape } = tensor;
    return [
      tensor.name,
      Constant.initializer(tensor.name, { kind, shape, type }, false, () => elements(tensor).values),
    ] as const;
  }));
  const functions = new Map(model.functions.map((called) => [operatorKey(called.name, called.domain), called]));
  const { uses, dequantized } = named(name, () => usesOf(graph, stored, functions));
  const quantized = new Set(dequantized.values());
  let left = MAX_LOOKED_AT;
  const tensors = named(name, () =>
    graph.initializers.map((tensor): OnnxTensor => {
      const constant = stored.get(tensor.name)!;
      const [usage, reason] = usageOf(
        constant,
        {
          uses: uses.get(tensor.name) ?? new Set(),
          declared: graph.declared.get(tensor.name) ?? null,
          producer: model.producer,
          isNode: fromNodes.has(tensor.name),
          isQuantized: quantized.has(tensor.name),
          read: (count) => (left -= count) < 0 ? [] : readable(() => elements(headOf(tensor, count)).values),
        },
        choice,
      );
      return { name: tensor.name, type: constant.type!, shape: constant.shape, usage, reason };
    }));
  const trained = new Set(tensors.flatMap(({ name, usage }) => usage === "trained" ? [name] : []));
  const initializers = new Map(
    [...stored].map(([name, constant]) =>
      trained.has(name) && constant.kind === "float" ? [name, constant.asTrained()] : [name, constant]
    ),
  );
  const external = path === null ? [] : named(name, () => files.pathsOf(graph.initializers));
  const places = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const constants = new Map<StoredTensor, Constant>();
  return {
    name,
    producer: model.producer,
    graph,
    opset: model.opsets.get("") ?? 1,
    functions,
    inputs: graph.inputs.filter((input) => !initializers.has(input.name)),
    outputs: graph.outputs,
    initializers,
    files: path === null ? [] : [path, ...external],
    bytes: external.reduce((sum, file) => sum + sizeOfFile(file), content.length),
    checkFile: (initializer) => files.check(places.get(initializer)!),
    tensors: [...tensors, ...constantNodes(graph)],
    dequantized: new Map([...dequantized].filter(([, name]) => trained.has(name))),
    constant(tensor) {
      const known = constants.get(tensor);
      if (known !== undefined) return known;
      const { kind, shape, values } = elements(tensor);
      const made = Constant.of(kind, shape, values, typeName(tensor.type));
      constants.set(tensor, made);
      return made;
    },
  };
}

/** Types of the values of nodes `Constant`, by their attribute. */
const CONSTANT_TYPES = { value_float: "float32", value_floats: "float32", value_int: "int64", value_ints: "int64" };

/** Describes the nodes `Constant` of a graph. */
function constantNodes(graph: OnnxGraph): OnnxTensor[] {
  return nodesOf(graph).flatMap(({ type, domain, attributes, outputs: [name = ""] }) => {
    if (type !== "Constant" || domain !== "") return [];
    const about = { name, usage: "constant", reason: "node Constant" } as const;
    const tensor = attributes.get("value")?.tensor;
    if (tensor !== undefined) return [{ ...about, type: typeName(tensor.type), shape: tensor.shape }];
    return Object.entries(CONSTANT_TYPES).flatMap(([attribute, type]) => {
      const found = attributes.get(attribute);
      if (found === undefined) return [];
      const length = found.floats.length + found.integers.length;
      return [{ ...about, type, shape: attribute.endsWith("s") ? [length] : [] }];
    });
  });
}

/** Operators listed per message. */
const MAX_OPERATORS = 20;

/**
 * Checks that Tacho has the operators on which an output depends.
 *
 * @throws {InputError} listing those that it does not have
 */
export function checkOperators({ name, graph, functions }: LoadedModel, output: string): void {
  const missing = new Map<string, { count: number; first: string }>();
  const visited = new Set<string>();
  const visit = (nodes: LoadedModel["graph"]["nodes"]) => {
    for (const node of nodes) {
      const key = operatorKey(node.type, node.domain);
      const called = functions.get(key);
      if (called !== undefined) {
        if (!visited.has(key)) visit(called.nodes);
        visited.add(key);
      } else if (!OPERATOR_BY_KEY.has(key)) {
        const known = missing.get(key);
        missing.set(key, { count: (known?.count ?? 0) + 1, first: known?.first ?? node.name });
      }
      for (const { graph: inner } of node.attributes.values()) if (inner !== undefined) visit(inner.nodes);
    }
  };
  visit(neededNodes(graph, [output]));
  if (missing.size === 0) return;
  const listed = [...missing].slice(0, MAX_OPERATORS).map(([key, { count, first }]) =>
    `  ${clipped(key)}: ${count} ${count === 1 ? "node" : "nodes"}${
      first === "" ? "" : `, the first is "${clipped(first)}"`
    }`
  );
  const more = missing.size > MAX_OPERATORS ? [`  and ${missing.size - MAX_OPERATORS} more operators`] : [];
  throw new InputError(
    [`onnx: ${name} has operators that Tacho does not have:`, ...listed, ...more].join("\n"),
  );
}

/** Returns elements that tell how a tensor is used; none if they cannot be read, which is reported where they are needed. */
function readable(read: () => ArrayLike<number>): ArrayLike<number> {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Runs an action and puts the name of the file before its errors. */
function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`onnx: ${name}: ${error.message}`, { cause: error });
  }
}
