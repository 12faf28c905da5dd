import { elementwiseChain } from "../../../ops/elementwise_chain.ts";
import type { ChainAttrs, ChainSource, ChainStep } from "../../../ops/kernels/chain.ts";
import { fusedReduction, isReduction, type ReductionAttrs } from "../../../ops/reduction.ts";
import { isFloat } from "../../core/dtype.ts";
import { sameShape } from "../../core/shape.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { Graph } from "../../graph/graph.ts";
import { membersOf, type Node, type OpDef, type Tensor } from "../../graph/op.ts";
import { rewriteGraph } from "../rewrite.ts";

/** Longer chains compile slowly and need too many registers. */
const MAX_STEPS = 8;
/** Storage buffers that every adapter can bind. */
const MAX_BUFFERS = 8;
/** Most buffers of partial results that a reduction binds. */
const PARTIAL_BUFFERS = 2;

/** Elementwise nodes that become one node, in the position of the last of them. */
interface Chain {
  readonly nodes: readonly Node[];
}

/**
 * Fuses neighbouring elementwise ops of one phase, forward or backward, into one kernel. Intermediate values that other
 * nodes read are outputs of the kernel. A reduction that alone reads a chain's result computes the chain itself.
 *
 * @param nodes nodes that `roots` depend on, in the order in which they run
 */
export function fuseElementwise(
  source: Pick<Graph, "mode" | "imageLayout" | "attention">,
  nodes: readonly Node[],
  roots: readonly Tensor[],
  traits: DeviceTraits,
): { graph: Graph; map: (tensor: Tensor) => Tensor } {
  const readers = readersOf(nodes, roots);
  const position = new Map(nodes.map((node, i) => [node, i]));
  const chains = new Map<Node, Chain>();
  nodes.forEach((node, index) => {
    if (!isElementwise(node)) return;
    let chain: Chain = { nodes: [node] };
    for (const { node: producer } of node.inputs) {
      const before = chains.get(producer);
      if (before === undefined || chain.nodes.includes(producer) || !isAlike(producer, node)) continue;
      const joined: Chain = {
        nodes: [...before.nodes, ...chain.nodes].sort((a, b) => position.get(a)! - position.get(b)!),
      };
      const delayed = before.nodes.flatMap((member) => readers.get(member) ?? []).filter((reader) =>
        !joined.nodes.includes(reader)
      );
      // Readers of the chain must run after it
      if (delayed.some((reader) => position.get(reader)! < index)) continue;
      if (joined.nodes.length <= MAX_STEPS && buffersOf(joined, readers, roots) <= bufferLimit(traits)) chain = joined;
    }
    for (const member of chain.nodes) chains.set(member, chain);
  });
  const reductions = reducedChains(nodes, chains, readers, roots, traits);
  const absorbed = new Set([...reductions.values()]);
  // Tensors of the members that others read; filled when the last member is reached
  const pending = new Map<Node, Tensor[]>();
  return rewriteGraph(source, nodes, (node, _inputs, target, map) => {
    const reduced = reductions.get(node);
    if (reduced !== undefined) return reduceChain(node, reduced, target, map);
    const chain = chains.get(node);
    if (chain !== undefined && absorbed.has(chain)) return [];
    if (chain === undefined || chain.nodes.length === 1) return null;
    const own: Tensor[] = [];
    pending.set(node, own);
    if (node !== chain.nodes.at(-1)) return own;
    const outputs = outputsOf(chain, readers, roots);
    const { attrs, inputs } = describe(chain, outputs);
    const members = chain.nodes.flatMap(membersOf);
    const op = elementwiseChain(chain.nodes.map((member) => member.op));
    const tensors = target.replay({ ...node, members }, inputs.map(map), op, attrs);
    outputs.forEach((output, i) => pending.get(output)!.push(tensors[i]!));
    return own;
  });
}

/** Returns the chains that reductions compute, by the reduction. */
function reducedChains(
  nodes: readonly Node[],
  chains: ReadonlyMap<Node, Chain>,
  readers: ReadonlyMap<Node, readonly Node[]>,
  roots: readonly Tensor[],
  traits: DeviceTraits,
): Map<Node, Chain> {
  const reductions = new Map<Node, Chain>();
  for (const node of nodes) {
    const op: OpDef<never> = node.op;
    const last = node.inputs[0]?.node;
    const chain = last === undefined ? undefined : chains.get(last);
    if (
      !isReduction(op) || last === undefined || chain === undefined || last.phase !== node.phase ||
      last.recomputed !== node.recomputed
    ) continue;
    const [output, ...others] = outputsOf(chain, readers, roots);
    if (output !== last || others.length > 0 || readers.get(last)!.length > 1 || isRoot(last, roots)) continue;
    const forms = chain.nodes.map((member) => member.op.elementwise!(member.attrs, member.randomKey));
    // The kernel reads elements that are not neighbours, and binds partial results beside the inputs
    if (forms.some(({ positional, inputs }) => positional || inputs.some((input) => typeof input !== "string"))) {
      continue;
    }
    if (externalInputs(chain).length + PARTIAL_BUFFERS <= bufferLimit(traits)) reductions.set(node, chain);
  }
  return reductions;
}

function reduceChain(node: Node, chain: Chain, target: Graph, map: (tensor: Tensor) => Tensor): Tensor[] {
  const op: OpDef<never> = node.op;
  if (!isReduction(op)) throw new Error(`${node.id} is not a reduction`);
  const { attrs: { steps }, inputs } = describe(chain, []);
  const members = [...chain.nodes, node].flatMap(membersOf);
  const attrs = { ...node.attrs as ReductionAttrs, steps, space: node.inputs[0]!.type };
  return target.replay({ ...node, members }, inputs.map(map), fusedReduction(op), attrs);
}

function isRoot(node: Node, roots: readonly Tensor[]): boolean {
  return roots.some((root) => root.node === node);
}

function isElementwise(node: Node): boolean {
  return node.op.elementwise !== undefined && node.outputs.length === 1 && isFloat(node.outputs[0]!.dtype);
}

function isAlike(a: Node, b: Node): boolean {
  const [x, y] = [a.outputs[0]!, b.outputs[0]!];
  return a.phase === b.phase && a.recomputed === b.recomputed && sameShape(x.shape, y.shape) && x.layout === y.layout;
}

/** Returns the members with readers outside the chain, the last first: its output may overwrite an input. */
function outputsOf(chain: Chain, readers: ReadonlyMap<Node, readonly Node[]>, roots: readonly Tensor[]): Node[] {
  return chain.nodes.filter((node) =>
    isRoot(node, roots) ||
    (readers.get(node) ?? []).some((reader) => !chain.nodes.includes(reader))
  ).reverse();
}

function externalInputs(chain: Chain): Tensor[] {
  const inputs: Tensor[] = [];
  for (const input of chain.nodes.flatMap((node) => node.inputs)) {
    if (chain.nodes.includes(input.node)) continue;
    if (!inputs.some((known) => known.node === input.node && known.index === input.index)) inputs.push(input);
  }
  return inputs;
}

function buffersOf(chain: Chain, readers: ReadonlyMap<Node, readonly Node[]>, roots: readonly Tensor[]): number {
  return externalInputs(chain).length + outputsOf(chain, readers, roots).length;
}

function bufferLimit(traits: DeviceTraits): number {
  return Math.min(MAX_BUFFERS, traits.maxStorageBuffers);
}

function describe(chain: Chain, outputs: readonly Node[]): { attrs: ChainAttrs; inputs: Tensor[] } {
  const inputs = externalInputs(chain);
  const sourceOf = (tensor: Tensor): ChainSource => {
    const step = chain.nodes.indexOf(tensor.node);
    if (step >= 0) return { step };
    return { input: inputs.findIndex((known) => known.node === tensor.node && known.index === tensor.index) };
  };
  const steps = chain.nodes.map((node): ChainStep => ({
    form: node.op.elementwise!(node.attrs, node.randomKey),
    sources: node.inputs.map(sourceOf),
  }));
  return {
    attrs: { steps, outputs: outputs.map((node) => ({ step: chain.nodes.indexOf(node), type: node.outputs[0]! })) },
    inputs,
  };
}

function readersOf(nodes: readonly Node[], roots: readonly Tensor[]): Map<Node, Node[]> {
  const readers = new Map<Node, Node[]>(nodes.map((node) => [node, []]));
  for (const root of roots) if (!readers.has(root.node)) throw new Error(`${root.node.id} is not among the nodes`);
  for (const node of nodes) for (const input of node.inputs) readers.get(input.node)!.push(node);
  return readers;
}
