import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { Layout } from "../core/layout.ts";
import { clipped } from "../core/shown.ts";
import { type GraphBuilder, Tensor } from "../graph/op.ts";
import { noteFile } from "../nn/parameter.ts";
import { layerError, placed } from "../nn/layer.ts";
import { Application, type Surroundings } from "./application.ts";
import { Attributes } from "./attributes.ts";
import { Budget, spend, within } from "./budget.ts";
import type { OnnxFunction, OnnxGraph, OnnxNode } from "./format/model.ts";
import { MAX_DIMENSIONS } from "./format/tensor.ts";
import type { LoadedModel } from "./loaded_model.ts";
import { neededNodes } from "./needed_nodes.ts";
import { operatorKey, placeOf } from "./operator.ts";
import { OPERATOR_BY_KEY } from "./registry.ts";
import { type Named, Scope } from "./scope.ts";
import { TruthValues } from "./truth_values.ts";
import { type Constant, isConstant, type Value } from "./value.ts";
import { printable } from "../core/printable.ts";

/** State of a model in a graph, which all its applications there share. */
interface Shared {
  readonly paths: ReadonlyMap<string, string>;
  readonly leaves: Map<string, Tensor>;
}

/**
 * Adds a model to a graph and returns one of its values.
 *
 * @param owner key of what the model's applications to the graph share
 * @param inputs tensors by the names of the model's inputs
 * @throws {InputError} if an operator cannot be computed, naming its layer
 */
export function addModel(
  model: LoadedModel,
  owner: object,
  inputs: ReadonlyMap<string, Tensor>,
  output: string,
): Tensor {
  const { graph } = inputs.values().next().value!;
  const [y] = addValues(model, owner, graph, inputs, [output]);
  if (isInstance(y, Tensor)) return y;
  throw new InputError(
    y == null
      ? `onnx: ${model.name}: no node computes the output "${clipped(output)}"`
      : `onnx: ${model.name}: the output "${clipped(output)}" does not depend on the model's input`,
  );
}

/** Adds a model to a graph and returns values by name, null for one that is not computed. Inputs may be constants. */
export function addValues(
  model: LoadedModel,
  owner: object,
  graph: GraphBuilder,
  inputs: ReadonlyMap<string, Value>,
  outputs: readonly string[],
): (Value | null)[] {
  const importer = new Importer(model, graph, sharedOf(model, owner, graph), batchOf(model, inputs));
  importer.declare(inputs);
  const scope = Scope.ofModel(new Map<string, Named>([...model.initializers, ...inputs]), model.opset);
  within(new Budget(model.bytes), () => importer.run(neededNodes(model.graph, outputs), scope));
  return outputs.map((name) => scope.output(name));
}

function sharedOf(model: LoadedModel, owner: object, graph: GraphBuilder): Shared {
  const known = graph.layerState.get(owner) as Shared | undefined;
  if (known !== undefined) return known;
  const paths = new Map([...model.initializers.keys()].map((name) => [name, graph.layerPath(weightName(name))]));
  const shared: Shared = { paths, leaves: new Map() };
  noteFile(graph, model.name);
  graph.layerState.set(owner, shared);
  return shared;
}

/** Returns the batch size that the file fixes, if the batch at hand has another. */
function batchOf({ inputs: declared }: LoadedModel, inputs: ReadonlyMap<string, Value>): Surroundings["batch"] {
  const [first] = declared;
  const [written, actual] = [first?.shape?.[0], first && inputs.get(first.name)?.shape[0]];
  return typeof written === "number" && actual !== undefined && written !== actual ? { written, actual } : null;
}

/** Longest message of an operator, which may list the sizes of a shape. */
const LONGEST_MESSAGE = 1000;

class Importer {
  readonly #model: LoadedModel;
  readonly #graph: GraphBuilder;
  readonly #shared: Shared;
  readonly #batch: Surroundings["batch"];
  readonly #truth = new TruthValues();
  /** Nodes that graphs inside of nodes need, which loops ask for in each turn. */
  readonly #needed = new Map<OnnxGraph, readonly OnnxNode[]>();
  /** Operations in the graph that are counted. */
  #counted: number;

  constructor(model: LoadedModel, graph: GraphBuilder, shared: Shared, batch: Surroundings["batch"]) {
    this.#model = model;
    this.#graph = graph;
    this.#shared = shared;
    this.#batch = batch;
    this.#counted = graph.nodes.length;
  }

  /** Notes the element types that the file gives for the model's inputs. */
  declare(inputs: ReadonlyMap<string, Value>): void {
    for (const { name, type } of this.#model.inputs) this.#truth.declare(inputs.get(name), type);
  }

  /** Adds nodes, whose outputs are added to the scope. */
  run(nodes: readonly OnnxNode[], scope: Scope): void {
    for (const written of nodes) {
      const node = scope.bound(written);
      const inputs = node.inputs.map((name) => name === "" ? null : this.#valueOf(name, scope, node));
      const called = this.#model.functions.get(operatorKey(node.type, node.domain));
      const outputs = called === undefined ? this.#apply(node, inputs, scope) : this.#call(called, node, inputs);
      node.outputs.forEach((name, i) => {
        if (name !== "") scope.set(name, outputs[i] ?? null);
      });
    }
  }

  #valueOf(name: string, scope: Scope, node: OnnxNode): Value | null {
    const value = scope.get(name);
    if (value === "left out") return null;
    if (value != null) return value;
    throw new InputError(
      `onnx: ${this.#model.name}: ${placeOf(node)} reads "${clipped(name)}", ` +
        (value === null ? "an output that Tacho does not compute" : "which no node before it computes"),
    );
  }

  #apply(node: OnnxNode, inputs: readonly (Value | null)[], scope: Scope): readonly (Value | null)[] {
    const operator = OPERATOR_BY_KEY.get(operatorKey(node.type, node.domain));
    if (operator === undefined) throw new InputError(`onnx: ${this.#model.name}: ${placeOf(node)} is not supported`);
    const attributes = new Attributes(node.attributes);
    const trained = inputs.flatMap((value) => isConstant(value) && value.trained ? [value.initializer!] : []);
    const isFolded = operator.fold !== undefined && trained.length === 0 && inputs[0] !== null &&
      inputs.length > 0 && inputs.every((value) => value === null || isConstant(value));
    const path = isFolded ? placeOf(node) : this.#graph.layerPath(layerName(node, trained));
    const application = new Application(node, path, inputs, attributes, this.#surroundings(scope));
    const file = `onnx: ${this.#model.name}: `;
    const fail = (message: string) => {
      // A graph inside of the node has put the file's name before it
      const own = clipped(message.startsWith(file) ? message.slice(file.length) : message, LONGEST_MESSAGE);
      return isFolded
        ? new InputError(`${file}${placeOf(node)}: ${own}`)
        : layerError(path, `${node.type} of ${this.#model.name}: ${own}`);
    };
    try {
      spend("nodes");
      const made = isFolded
        ? operator.fold!(application)
        : this.#graph.inLayer(path, () => operator.build(application));
      this.#countOperations();
      const extra = application.unreadInputs();
      if (extra.length > 0) throw new InputError(`its input ${extra.join(", ")} is not supported`);
      const unknown = attributes.unread();
      if (unknown.length > 0) {
        throw new InputError(
          `the attribute ${unknown.map((name) => `"${clipped(name)}"`).join(", ")} is not supported`,
        );
      }
      const outputs: readonly (Value | null)[] = Array.isArray(made) ? made : [made as Value];
      const rank = outputs.reduce((most, output) => Math.max(most, output?.shape.length ?? 0), 0);
      if (rank > MAX_DIMENSIONS) {
        throw new InputError(`its output has ${rank} dimensions; expected at most ${MAX_DIMENSIONS}`);
      }
      this.#truth.follow(node, inputs, outputs);
      return isFolded ? this.#dequantized(node, outputs) : outputs;
    } catch (error) {
      throw placed(error, fail);
    }
  }

  /** Returns the value of a folded node as a parameter where the file holds a trained weight quantised. */
  #dequantized(node: OnnxNode, outputs: readonly (Value | null)[]): readonly (Value | null)[] {
    const name = this.#model.dequantized.get(node.outputs[0]!);
    return name === undefined ? outputs : outputs.map((value) => (value as Constant).asTrained(name));
  }

  /** Counts the operations that the last node has added to the graph. */
  #countOperations(): void {
    const added = this.#graph.nodes.length - this.#counted;
    this.#counted += added;
    spend("operations", added);
  }

  /** Adds the nodes of a function that the file defines. */
  #call(called: OnnxFunction, node: OnnxNode, inputs: readonly (Value | null)[]): (Value | null)[] {
    spend("nodes");
    const values = called.inputs.map((name, i): [string, Named] => [name, inputs[i] ?? "left out"]);
    const opset = called.opsets.get("") ?? this.#model.opset;
    const scope = Scope.ofFunction(new Map(values), opset, new Map([...called.defaults, ...node.attributes]));
    this.run(called.nodes, scope);
    return called.outputs.map((name) => scope.output(name));
  }

  #surroundings(scope: Scope): Surroundings {
    return {
      graph: this.#graph,
      opset: scope.opset,
      batch: this.#batch,
      leaf: (constant, layout, kind) => this.#leaf(constant, layout, kind),
      elements: (attributes, name) => {
        const tensor = attributes.tensor(name);
        return tensor === null ? null : this.#model.constant(tensor);
      },
      isBoolean: (tensor) => this.#truth.has(tensor),
      subgraph: (graph, given) => this.#subgraph(graph, given, scope),
    };
  }

  #subgraph(graph: OnnxGraph, given: readonly (Value | null)[], around: Scope): (Value | null)[] {
    const inner = around.inner(
      new Map<string, Named>([
        ...graph.initializers.map((tensor) => [tensor.name, this.#model.constant(tensor)] as const),
        ...graph.inputs.map(({ name }, i) => [name, given[i] ?? null] as const),
      ]),
    );
    const wanted = graph.outputs.map(({ name }) => name);
    const needed = this.#needed.get(graph) ?? neededNodes(graph, wanted);
    this.#needed.set(graph, needed);
    this.run(needed, inner);
    return wanted.map((name) => inner.output(name));
  }

  #leaf(constant: Constant, layout: Layout, kind: "parameter" | "state"): Tensor {
    const [name, { shape }] = [constant.initializer!, constant];
    const known = this.#shared.leaves.get(name);
    if (known !== undefined) return known;
    this.#model.checkFile(name);
    const type = { shape, dtype: "f32" as const, layout };
    const path = this.#shared.paths.get(name) ?? weightName(name);
    const made = this.#graph.leaf(kind, path, type, constant.initial());
    this.#shared.leaves.set(name, made);
    return made;
  }
}

/** Returns an initializer's name as parameters have it: that in the file, with characters that are unsafe to print escaped. */
function weightName(name: string): string {
  const safe = printable(name);
  // Fields of the batch have names that begin like this
  return safe.startsWith("@") ? `_${safe}` : safe;
}

/**
 * Returns the name of the layer that a node forms: that of its weight without the last part, such as `layer1.0.conv1`;
 * otherwise the path in its own name, as PyTorch writes `/layer1/layer1.0/relu/Relu`; otherwise its name or type.
 *
 * @param weights names of its trained inputs
 */
function layerName(node: OnnxNode, weights: readonly string[]): string {
  const own = weights.map(weightName).find((name) => name.includes("."));
  if (own !== undefined) return own.slice(0, own.lastIndexOf("."));
  const parts = node.name.split("/").filter((part) => part !== "");
  const scopes = parts.slice(0, -1);
  const path = scopes.filter((part, i) => !scopes[i + 1]?.startsWith(`${part}.`)).map(weightName).join(".");
  if (path !== "") return path;
  return parts.length === 1 ? weightName(parts[0]!) : snakeCase(node.type);
}

/** Returns `layer_normalization` for `LayerNormalization`. */
function snakeCase(type: string): string {
  return weightName(type.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase());
}
