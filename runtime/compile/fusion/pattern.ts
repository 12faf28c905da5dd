import { addOp } from "../../../ops/add.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Member, Node, OpDef, Tensor } from "../../graph/op.ts";
import { isSameType } from "../../graph/types.ts";
import type { Program } from "../rewrite.ts";

/** Nodes that one kernel can compute. */
export interface Match {
  /** Nodes that the fused node replaces, in the graph's order. Its output 0 is the output of the last of them. */
  readonly members: readonly Node[];
  /**
   * Adds the fused node and returns its outputs.
   *
   * @param map returns the new graph's tensor for a tensor from outside the members
   * @param members what the members compute
   */
  build(target: Graph, map: (tensor: Tensor) => Tensor, members: readonly Member[]): Tensor[];
}

/** Matches a combination of forward ops that ends in `node`. */
export type Pattern = (node: Node, uses: Uses) => Match | null;

/** Counts of the readers of each tensor in a program. */
export class Uses {
  readonly #readers = new Map<string, number>();

  readonly program: Program;

  constructor(program: Program) {
    this.program = program;
    const read = (tensor: Tensor) => this.#readers.set(key(tensor), (this.#readers.get(key(tensor)) ?? 0) + 1);
    for (const node of program.graph.nodes) node.inputs.forEach(read);
    read(program.output);
    if (program.loss !== null) read(program.loss);
  }

  /** Returns true if exactly one input of one node reads the tensor, and it is not an output of the program. */
  sole(tensor: Tensor): boolean {
    return this.#readers.get(key(tensor)) === 1;
  }
}

export function isOp(node: Node, op: OpDef<never>): boolean {
  return (node.op as OpDef<never>) === op;
}

/** Returns true for the sum of two tensors of the same type, nothing of which is broadcast. */
export function isPlainSum(node: Node): boolean {
  const [a, b] = node.inputs;
  return isOp(node, addOp) && a !== undefined && b !== undefined && isSameType(a.type, b.type);
}

function key(tensor: Tensor): string {
  return `${tensor.node.id}:${tensor.index}`;
}
