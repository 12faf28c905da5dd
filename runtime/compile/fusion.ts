import type { BatchNormAttrs } from "../../ops/batch_norm.ts";
import type { Node } from "../graph/node.ts";
import type { Tensor } from "../graph/tensor.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";

/** A batch norm with what follows it and nothing else reads. */
interface Match {
  readonly norm: Node;
  readonly residual: Tensor | null;
  /** Nodes that the fused one stands for, besides the batch norm. */
  readonly members: readonly Node[];
}

/**
 * Fuses batch norm + ReLU, and batch norm + addition + ReLU: the activation and the residual are applied while the
 * normalised values are in registers, and the intermediate tensors are neither written nor read.
 */
export function applyFusion(program: Program): Program {
  const readers = countReaders(program);
  const matches = new Map<Node, Match>();
  const absorbed = new Set<Node>();
  for (const node of program.graph.nodes) {
    const match = matchRelu(node, readers);
    if (match === null || absorbed.has(match.norm)) continue;
    matches.set(node, match);
    for (const member of [match.norm, ...match.members]) if (member !== node) absorbed.add(member);
  }
  const sources = new Map<Node, Tensor[]>();
  return rewriteProgram(program, (node, inputs, target) => {
    sources.set(node, inputs);
    // Nothing but the fused node reads what an absorbed one would have made
    if (absorbed.has(node)) return [];
    const match = matches.get(node);
    if (match === undefined) return null;
    const attrs: BatchNormAttrs = { ...(match.norm.attrs as BatchNormAttrs), activation: "relu" };
    const operands = [...sources.get(match.norm)!];
    if (match.residual !== null) {
      const addition = match.members.find((member) => member.op.type === "add")!;
      operands.push(sources.get(addition)![addition.inputs.indexOf(match.residual)]!);
    }
    const members = [match.norm.id, ...match.members.map((member) => member.id)];
    return target.replay({ ...match.norm, members, attrs }, operands);
  });
}

function matchRelu(node: Node, readers: ReadonlyMap<string, number>): Match | null {
  if (node.op.type !== "relu") return null;
  const input = node.inputs[0]!;
  if (readers.get(key(input)) !== 1) return null;
  if (isPlainNorm(input)) return { norm: input.node, residual: null, members: [node] };
  if (input.node.op.type !== "add") return null;
  const [a, b] = input.node.inputs as readonly [Tensor, Tensor];
  if (a === b) return null;
  const fusable = (tensor: Tensor) => isPlainNorm(tensor) && readers.get(key(tensor)) === 1;
  if (fusable(a)) return { norm: a.node, residual: b, members: [input.node, node] };
  if (fusable(b)) return { norm: b.node, residual: a, members: [input.node, node] };
  return null;
}

function isPlainNorm(tensor: Tensor): boolean {
  const { node } = tensor;
  return node.op.type === "batch_norm" && tensor.index === 0 && node.inputs.length === 5 &&
    (node.attrs as BatchNormAttrs).activation === "none";
}

/** How many nodes, and ends of the program, read each tensor. */
function countReaders(program: Program): Map<string, number> {
  const readers = new Map<string, number>();
  const read = (tensor: Tensor) => readers.set(key(tensor), (readers.get(key(tensor)) ?? 0) + 1);
  for (const node of program.graph.nodes) node.inputs.forEach(read);
  read(program.output);
  if (program.loss !== null) read(program.loss);
  return readers;
}

function key(tensor: Tensor): string {
  return `${tensor.node.id}:${tensor.index}`;
}
