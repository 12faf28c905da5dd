import type { Graph } from "../../graph/graph.ts";
import type { Node, OpDef, Tensor } from "../../graph/op.ts";
import type { Program } from "../rewrite.ts";

/** Nodes that one kernel can do. */
export interface Match {
  /** What the fused node stands for, in the graph's order; the last one's output is the fused node's output 0. */
  readonly members: readonly Node[];
  /**
   * Adds the fused node and returns its outputs.
   *
   * @param map a tensor from outside of the members in the new graph
   * @param members ids for the fused node
   */
  build(target: Graph, map: (tensor: Tensor) => Tensor, members: readonly string[]): Tensor[];
}

/** Looks for a combination of forward ops that ends in `node`. */
export type Pattern = (node: Node, uses: Uses) => Match | null;

/** Who reads what in a program. */
export class Uses {
  readonly #readers = new Map<string, number>();

  constructor(readonly program: Program) {
    const read = (tensor: Tensor) => this.#readers.set(key(tensor), (this.#readers.get(key(tensor)) ?? 0) + 1);
    for (const node of program.graph.nodes) node.inputs.forEach(read);
    read(program.output);
    if (program.loss !== null) read(program.loss);
  }

  /** Whether one node reads a tensor once, and nothing else needs it. */
  sole(tensor: Tensor): boolean {
    return this.#readers.get(key(tensor)) === 1;
  }
}

export function isOp(node: Node, op: OpDef<never>): boolean {
  return (node.op as OpDef<never>) === op;
}

function key(tensor: Tensor): string {
  return `${tensor.node.id}:${tensor.index}`;
}
