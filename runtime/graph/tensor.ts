import type { DType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";
import type { Graph } from "./graph.ts";
import type { Node } from "./node.ts";
import type { TensorType } from "./types.ts";

/** A symbolic tensor: output `index` of `node`. */
export class Tensor {
  constructor(readonly graph: Graph, readonly node: Node, readonly index: number) {}

  get type(): TensorType {
    return this.node.outputs[this.index]!;
  }

  /** Logical shape. */
  get shape(): Shape {
    return this.type.shape;
  }

  get dtype(): DType {
    return this.type.dtype;
  }
}
