import assert from "node:assert/strict";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import type { Mode, Tensor } from "../../runtime/graph/op.ts";
import { activation, type AttentionSetting, type LeafKind } from "../../runtime/graph/types.ts";
import type { Layer } from "../../runtime/nn/layer.ts";

/** A layer built into a separate graph. */
export interface Built {
  readonly graph: Graph;
  readonly output: Tensor;
  /** Shapes of the parameters by name, in the order in which they were made. */
  readonly parameters: ReadonlyMap<string, Shape>;
  /** Ids of the nodes that compute something. */
  readonly nodes: readonly string[];
}

export function build(layer: Layer, shape: Shape, mode: Mode = "train", attention: AttentionSetting = "auto"): Built {
  const graph = new Graph(mode, "nhwc", attention);
  const output = layer(graph.leaf("input", "input", activation(shape, "f32")));
  const nodes = graph.nodes.filter(({ op }) => op.type !== "leaf").map(({ id }) => id);
  return { graph, output, nodes, parameters: shapesOf(graph, "parameter") };
}

export function shapesOf(graph: Graph, kind: LeafKind): ReadonlyMap<string, Shape> {
  return new Map(graph.leaves(kind).map((tensor) => [tensor.node.id, tensor.shape]));
}

/** The initialiser of a parameter. */
export function initializerOf({ graph }: Built, name: string) {
  const tensor = graph.leaves("parameter").find(({ node }) => node.id === name);
  assert.ok(tensor, `no parameter ${name}`);
  return leafAttrs(tensor)?.initializer;
}

export function countValues(shapes: ReadonlyMap<string, Shape>): number {
  return [...shapes.values()].reduce((sum, shape) => sum + sizeOf(shape), 0);
}

/** Returns the multiply-adds of the forward products. */
export function multiplyAdds({ graph }: Built): number {
  return graph.nodes.filter(({ op }) => op.roles?.includes("product")).reduce((sum, { op, inputs, outputs, attrs }) => {
    return sum + op.cost(inputs.map(({ type }) => type), outputs, attrs as never).flops / 2;
  }, 0);
}
