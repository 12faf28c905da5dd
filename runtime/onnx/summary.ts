import { sizeOf } from "../core/shape.ts";
import type { LoadedModel } from "./loaded_model.ts";
import type { OnnxTensor, OnnxValue } from "./model_type.ts";
import { operatorKey } from "./operator.ts";
import { OPERATOR_BY_KEY } from "./registry.ts";
import { inputsOf, valueOf } from "./value_info.ts";

/** Use of an operator in a file. */
export interface OperatorUse {
  /** Name, with its domain if that is not the standard's. */
  readonly name: string;
  readonly nodes: number;
  /** False if Tacho does not have it. */
  readonly supported: boolean;
}

/** What a file holds. */
export interface OnnxSummary {
  readonly name: string;
  /** Program that wrote it, such as `pytorch 2.5.1`. */
  readonly producer: string;
  /** Version of the standard's operators. */
  readonly opset: number;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Elements of all weights: parameters, and running statistics of norms. */
  readonly weights: number;
  /** Tensors, and whether a training changes them. */
  readonly tensors: readonly OnnxTensor[];
  /** Operators by number of nodes; those of functions in the file are counted where they are called. */
  readonly operators: readonly OperatorUse[];
}

/** Describes a file. */
export function summarize(model: LoadedModel): OnnxSummary {
  const nodes = new Map<string, number>();
  const visit = (list: LoadedModel["graph"]["nodes"]) => {
    for (const node of list) {
      const key = operatorKey(node.type, node.domain);
      const called = model.functions.get(key);
      if (called === undefined) nodes.set(key, (nodes.get(key) ?? 0) + 1);
      else visit(called.nodes);
      for (const { graph } of node.attributes.values()) if (graph !== undefined) visit(graph.nodes);
    }
  };
  visit(model.graph.nodes);
  const weights = model.tensors.filter(({ usage }) => usage !== "constant");
  return {
    name: model.name,
    producer: model.producer,
    opset: model.opset,
    inputs: inputsOf(model.inputs),
    outputs: model.outputs.map(valueOf),
    weights: weights.reduce((sum, { shape }) => sum + sizeOf(shape), 0),
    tensors: model.tensors,
    operators: [...nodes].map(([name, count]) => ({ name, nodes: count, supported: OPERATOR_BY_KEY.has(name) }))
      .sort((a, b) => b.nodes - a.nodes || (a.name < b.name ? -1 : 1)),
  };
}
