import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { Layout } from "../core/layout.ts";
import { clipped } from "../core/shown.ts";
import { type GraphBuilder, Tensor } from "../graph/op.ts";
import { noteFile } from "../nn/file_weights.ts";
import { layerError, placed } from "../nn/layer.ts";
import { Application, type Surroundings } from "./application.ts";
import { Attributes } from "./attributes.ts";
import { MOST_NODES } from "./check_model.ts";
import type { OnnxFunction, OnnxGraph, OnnxNode } from "./format/model.ts";
import type { LoadedModel } from "./loaded_model.ts";
import { layerName, weightName } from "./names.ts";
import { neededNodes } from "./needed_nodes.ts";
import { operatorKey } from "./operator.ts";
import { OPERATOR_BY_KEY } from "./registry.ts";
import { TruthValues } from "./truth_values.ts";
import { type Constant, isConstant, type Value } from "./value.ts";

/** Values by name. */
type Values = Map<string, Value | null>;

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
  const values: Values = new Map<string, Value | null>([...model.initializers, ...inputs]);
  importer.run(neededNodes(model.graph, outputs), values, model.opset);
  return outputs.map((name) => values.get(name) ?? null);
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

class Importer {
  readonly #model: LoadedModel;
  readonly #graph: GraphBuilder;
  readonly #shared: Shared;
  readonly #batch: Surroundings["batch"];
  readonly #truth = new TruthValues();
  #count = 0;

  constructor(model: LoadedModel, graph: GraphBuilder, shared: Shared, batch: Surroundings["batch"]) {
    this.#model = model;
    this.#graph = graph;
    this.#shared = shared;
    this.#batch = batch;
  }

  /** Notes the element types that the file gives for the model's inputs. */
  declare(inputs: ReadonlyMap<string, Value>): void {
    for (const { name, type } of this.#model.inputs) this.#truth.declare(inputs.get(name), type);
  }

  /** Adds nodes, whose outputs are added to `values`. */
  run(nodes: readonly OnnxNode[], values: Values, opset: number): void {
    for (const node of nodes) {
      if (++this.#count > MOST_NODES) {
        throw new InputError(
          `onnx: ${this.#model.name}: its loops and functions make more than ${MOST_NODES} nodes; expected fewer turns`,
        );
      }
      const inputs = node.inputs.map((name) => name === "" ? null : this.#valueOf(name, values, node));
      const called = this.#model.functions.get(operatorKey(node.type, node.domain));
      const outputs = called === undefined
        ? this.#apply(node, inputs, values, opset)
        : this.#call(called, node, inputs);
      node.outputs.forEach((name, i) => {
        if (name !== "") values.set(name, outputs[i] ?? null);
      });
    }
  }

  #valueOf(name: string, values: Values, node: OnnxNode): Value {
    const value = values.get(name);
    if (value != null) return value;
    throw new InputError(
      `onnx: ${this.#model.name}: ${placeOf(node)} reads "${clipped(name)}", ` +
        (value === null ? "an output that Tacho does not compute" : "which no node before it computes"),
    );
  }

  #apply(node: OnnxNode, inputs: readonly (Value | null)[], values: Values, opset: number): readonly (Value | null)[] {
    const operator = OPERATOR_BY_KEY.get(operatorKey(node.type, node.domain));
    if (operator === undefined) throw new InputError(`onnx: ${this.#model.name}: ${placeOf(node)} is not supported`);
    const attributes = new Attributes(node.attributes);
    const trained = inputs.flatMap((value) => isConstant(value) && value.trained ? [value.initializer!] : []);
    const isFolded = operator.fold !== undefined && trained.length === 0 && inputs[0] !== null &&
      inputs.length > 0 && inputs.every((value) => value === null || isConstant(value));
    const path = isFolded ? placeOf(node) : this.#graph.layerPath(layerName(node, trained));
    const application = new Application(node, path, inputs, attributes, this.#surroundings(values, opset));
    const file = `onnx: ${this.#model.name}: `;
    const fail = (message: string) => {
      // A graph inside of the node has put the file's name before it
      const own = message.startsWith(file) ? message.slice(file.length) : message;
      return isFolded
        ? new InputError(`${file}${placeOf(node)}: ${own}`)
        : layerError(path, `${node.type} of ${this.#model.name}: ${own}`);
    };
    try {
      const made = isFolded
        ? operator.fold!(application)
        : this.#graph.inLayer(path, () => operator.build(application));
      const extra = application.unreadInputs();
      if (extra.length > 0) throw new InputError(`its input ${extra.join(", ")} is not supported`);
      const unknown = attributes.unread();
      if (unknown.length > 0) {
        throw new InputError(
          `the attribute ${unknown.map((name) => `"${clipped(name)}"`).join(", ")} is not supported`,
        );
      }
      const outputs: readonly (Value | null)[] = Array.isArray(made) ? made : [made as Value];
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

  /** Adds the nodes of a function that the file defines. */
  #call(called: OnnxFunction, node: OnnxNode, inputs: readonly (Value | null)[]): (Value | null)[] {
    const values: Values = new Map(called.inputs.map((name, i) => [name, inputs[i] ?? null]));
    this.run(bind(called.nodes, node, called), values, called.opsets.get("") ?? this.#model.opset);
    return called.outputs.map((name) => values.get(name) ?? null);
  }

  #surroundings(values: Values, opset: number): Surroundings {
    return {
      graph: this.#graph,
      opset,
      batch: this.#batch,
      leaf: (constant, layout, kind) => this.#leaf(constant, layout, kind),
      elements: (attributes, name) => {
        const tensor = attributes.tensor(name);
        return tensor === null ? null : this.#model.constant(tensor);
      },
      isBoolean: (tensor) => this.#truth.has(tensor),
      subgraph: (graph, given) => this.#subgraph(graph, given, values, opset),
    };
  }

  #subgraph(graph: OnnxGraph, given: readonly (Value | null)[], around: Values, opset: number): (Value | null)[] {
    const values: Values = new Map(around);
    for (const tensor of graph.initializers) values.set(tensor.name, this.#model.constant(tensor));
    graph.inputs.forEach(({ name }, i) => values.set(name, given[i] ?? null));
    const wanted = graph.outputs.map(({ name }) => name);
    this.run(neededNodes(graph, wanted), values, opset);
    return wanted.map((name) => values.get(name) ?? null);
  }

  #leaf({ initializer, shape, values }: Constant, layout: Layout, kind: "parameter" | "state"): Tensor {
    const name = initializer!;
    const known = this.#shared.leaves.get(name);
    if (known !== undefined) return known;
    const type = { shape, dtype: "f32" as const, layout };
    const path = this.#shared.paths.get(name) ?? weightName(name);
    const made = this.#graph.leaf(kind, path, type, { kind: "values", values: Float32Array.from(values) });
    this.#shared.leaves.set(name, made);
    return made;
  }
}

/**
 * Returns nodes of a function for a call, those of graphs inside of them too: attributes that name one of the function's take
 * its value, and inputs that the call leaves out are left out.
 */
function bind(nodes: readonly OnnxNode[], call: OnnxNode, called: OnnxFunction): OnnxNode[] {
  const omitted = new Set(called.inputs.filter((_, i) => (call.inputs[i] ?? "") === ""));
  return nodes.map((node) => {
    const attributes = [...node.attributes.values()].flatMap((attribute) => {
      const { name, graph, reference } = attribute;
      if (graph !== undefined) return [{ ...attribute, graph: { ...graph, nodes: bind(graph.nodes, call, called) } }];
      if (reference === undefined) return [attribute];
      const given = call.attributes.get(reference) ?? called.defaults.get(reference);
      return given === undefined ? [] : [{ ...given, name }];
    });
    return {
      ...node,
      inputs: node.inputs.map((name) => omitted.has(name) ? "" : name),
      attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])),
    };
  });
}

function placeOf({ name, type }: OnnxNode): string {
  return name === "" ? type : `${type} "${clipped(name)}"`;
}
