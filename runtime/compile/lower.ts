import { roundUp } from "../core/round_up.ts";
import type { BufferRef, KernelPlan } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { cachedCandidates } from "../graph/candidates.ts";
import type { Graph } from "../graph/graph.ts";
import { factsOf, fusedAliases, type InPlace, type Node, type Tensor } from "../graph/op.ts";
import { checkBinding, checkGrid, fitsAdapter } from "./adapter_limits.ts";
import type { Dispatch, Location, PlannedNode } from "./plan.ts";
import { hasKernel, inputName } from "./precheck.ts";
import { assignSlots, type Lifetime } from "./slots.ts";
import { bytesOf, lastUses, offsetInSource, ownerOf, type Placement, sourceOf } from "./views.ts";
import { sameShape } from "../core/shape.ts";

export interface Lowered {
  /** Dispatches by phase, in the order in which the phases begin. */
  readonly dispatches: ReadonlyMap<string, readonly Dispatch[]>;
  readonly nodes: readonly PlannedNode[];
  readonly slots: readonly number[];
  readonly slotUse: { readonly activations: number; readonly workspace: number };
  /** Returns the location of a tensor of the graph. */
  locate(tensor: Tensor): Location;
}

/** Picks one of a node's candidates. The first is the adapter's default, which plans without a choice take. */
export type Choose = (node: Node, candidates: readonly KernelPlan[]) => KernelPlan;

export interface LowerOptions {
  readonly traits: DeviceTraits;
  readonly choose?: Choose | undefined;
  /** Lets outputs overwrite inputs that are not read afterwards; defaults to true. */
  readonly inPlace?: boolean;
}

/**
 * Turns the nodes that `roots` depend on into dispatches: picks the kernels of each node, and assigns a slot to every
 * tensor without a location, for as long as the tensor is needed.
 */
export function lower(
  graph: Graph,
  roots: readonly Tensor[],
  placed: Placement,
  { traits, choose, inPlace = true }: LowerOptions,
): Lowered {
  const nodes = liveNodes(graph, roots);
  const candidates = cachedCandidates(traits);
  const lastUse = lastUses(nodes, roots);
  // True if an input is in a slot, no later node reads it, and this node reads it once
  const dies = (node: Node, index: number, input: number) => {
    const tensor = sourceOf(node.inputs[input]!);
    const owner = ownerOf(tensor);
    return placed(tensor) === null && lastUse.get(owner) === index && isWhole(node.inputs[input]!) &&
      node.inputs.filter((other) => ownerOf(other) === owner).length === 1;
  };
  const steps = nodes.map((node, index) => {
    const picked = pickKernels(node, candidates, traits, choose);
    const over = inPlace && picked !== null
      ? inPlacePlan(node, picked.plan, picked.make, (input) => dies(node, index, input))
      : null;
    const replaced = over !== null && placed({ node, index: over.output } as Tensor) === null ? over : null;
    return { node, index, plan: replaced?.plan ?? picked?.plan ?? null, over: replaced };
  });

  // One lifetime for each tensor without a location and for each scratch buffer. Views and outputs that overwrite an
  // input share the lifetime of the tensor whose memory they use
  const keys: { owner: string; scratch: boolean }[] = [];
  const lifetimes: { bytes: number; first: number; last: number }[] = [];
  const byOwner = new Map<string, number>();
  const open = (owner: string, bytes: number, at: number, scratch: boolean) => {
    byOwner.set(owner, lifetimes.length);
    keys.push({ owner, scratch });
    lifetimes.push({ bytes: roundUp(bytes, 16), first: at, last: at });
  };
  for (const { node, index, plan, over } of steps) {
    for (const input of node.inputs) {
      const lifetime = byOwner.get(ownerOf(input));
      if (lifetime !== undefined) lifetimes[lifetime]!.last = index;
    }
    if (plan === null) continue;
    node.outputs.forEach((type, i) => {
      const tensor = { node, index: i } as Tensor;
      if (over?.output === i) byOwner.set(ownerOf(tensor), byOwner.get(ownerOf(node.inputs[over.input]!))!);
      else if (placed(tensor) === null) open(ownerOf(tensor), bytesOf(type), index, false);
    });
    plan.workspace.forEach((bytes, i) => {
      open(scratchOf(node, i), bytes, index, true);
    });
  }
  for (const root of roots) {
    const lifetime = byOwner.get(ownerOf(root));
    if (lifetime !== undefined) lifetimes[lifetime]!.last = steps.length;
  }
  const { slots, assignment } = assignSlots(lifetimes as readonly Lifetime[]);
  const slotOf = (owner: string): Location => {
    const lifetime = byOwner.get(owner);
    if (lifetime === undefined) throw new Error(`${owner} has no location`);
    return { buffer: { slot: assignment[lifetime]! }, offset: 0, size: lifetimes[lifetime]!.bytes };
  };
  const locate = (tensor: Tensor): Location => {
    const source = sourceOf(tensor);
    const whole = placed(source) ?? slotOf(ownerOf(source));
    if (isWhole(tensor)) return whole;
    return { ...whole, offset: whole.offset + offsetInSource(tensor), size: roundUp(bytesOf(tensor.type), 16) };
  };

  const dispatches = new Map<string, Dispatch[]>();
  const planned: PlannedNode[] = [];
  for (const { node, index, plan, over } of steps) {
    if (plan === null) continue;
    const resolve = (ref: BufferRef): Location => {
      if ("input" in ref) return locate(node.inputs[ref.input]!);
      if ("output" in ref) return locate({ node, index: ref.output } as Tensor);
      return slotOf(scratchOf(node, ref.workspace));
    };
    const nameOf = (ref: BufferRef): string => {
      if ("input" in ref) return inputName(node, node.inputs[ref.input]!);
      return "output" in ref ? node.id : `${node.id} (scratch memory of ${plan.name})`;
    };
    for (const kernel of plan.kernels) {
      const bindings = kernel.bindings.map((binding) => {
        const location = resolve(binding.ref);
        checkBinding(location.size, nameOf(binding.ref), traits);
        return location;
      });
      checkGrid(kernel, node.id, traits);
      checkOverlap(
        node,
        kernel.bindings.map((binding, i) => ({ ...bindings[i]!, writes: binding.access === "read_write" })),
      );
      const dispatch = { kernel, bindings, nodeId: node.id, layer: node.layer, opType: node.op.type };
      const ofPhase = dispatches.get(node.phase) ?? [];
      ofPhase.push(dispatch);
      dispatches.set(node.phase, ofPhase);
    }
    const inputs = node.inputs.map((input) => input.type);
    const members = node.members ?? [];
    planned.push({
      id: node.id,
      layer: node.layer,
      type: node.op.type,
      ...factsOf(node.op),
      ...node.members !== undefined && { aliases: fusedAliases(node.op, node.members) },
      phase: node.phase,
      kernel: plan.name,
      members: members.length > 1 ? members.map(({ id }) => id) : [],
      inputs,
      outputs: node.outputs,
      ...node.op.cost(inputs, node.outputs, node.attrs),
      live: liveBytes(index, lifetimes, keys),
      range: node.range ?? null,
      inPlace: over !== null,
      placed: {
        node,
        inputs: node.inputs.map(locate),
        outputs: node.outputs.map((_, i) => locate({ node, index: i } as Tensor)),
      },
      ...node.recomputed === true && { recomputed: true },
    });
  }
  const scratchOnly = slots.filter((_, slot) =>
    assignment.every((assigned, i) => assigned !== slot || keys[i]!.scratch)
  );
  const workspace = scratchOnly.reduce((sum, bytes) => sum + bytes, 0);
  const activations = slots.reduce((sum, bytes) => sum + bytes, 0) - workspace;
  return { dispatches, nodes: planned, slots, slotUse: { activations, workspace }, locate };
}

/** Returns the bytes of tensors and of scratch memory that are in use while a node runs. */
function liveBytes(step: number, lifetimes: readonly Lifetime[], keys: readonly { scratch: boolean }[]) {
  const live = { activations: 0, workspace: 0 };
  lifetimes.forEach(({ bytes, first, last }, i) => {
    if (first <= step && step <= last) live[keys[i]!.scratch ? "workspace" : "activations"] += bytes;
  });
  return live;
}

/** Returns the nodes that `roots` depend on, in the graph's order. */
export function liveNodes(graph: Graph, roots: readonly Tensor[]): Node[] {
  const live = new Set<Node>(roots.map(({ node }) => node));
  // Inputs precede their readers in `graph.nodes`. A recursion would be as deep as the model
  for (const node of graph.nodes.toReversed()) {
    if (live.has(node)) { for (const input of node.inputs) live.add(input.node); }
  }
  return graph.nodes.filter((node) => live.has(node));
}

/** Returns the kernels that `choose` picks, or the first that the adapter allows, and a function that builds them with an output over an input. */
function pickKernels(
  node: Node,
  candidatesOf: ReturnType<typeof cachedCandidates>,
  traits: DeviceTraits,
  choose: Choose | undefined,
): { plan: KernelPlan; make: (over: InPlace) => KernelPlan } | null {
  if (!hasKernel(node)) return null;
  const candidates = candidatesOf(node);
  if (candidates.length === 0) throw new Error(`${node.id}: no kernel for ${node.op.type}`);
  const fits = (plan: KernelPlan) => fitsAdapter(plan, traits);
  const plan = choose === undefined
    ? candidates.find(fits) ?? candidates[0]!
    : choose(node, candidates.some(fits) ? candidates.filter(fits) : candidates);
  return { plan, make: (over) => candidatesOf(node, over)[candidates.indexOf(plan)]! };
}

/** Returns true for tensors that are not a part of another tensor's memory. */
function isWhole(tensor: Tensor): boolean {
  const source = sourceOf(tensor);
  return source === tensor || bytesOf(tensor.type) === bytesOf(source.type);
}

function scratchOf(node: Node, index: number): string {
  return `${node.id}:scratch${index}`;
}

/**
 * Rejects overlapping bindings. WebGPU rejects reading and writing a buffer in one dispatch, but not two writers of a
 * range.
 */
function checkOverlap(node: Node, bindings: readonly (Location & { writes: boolean })[]): void {
  const name = (location: Location) =>
    typeof location.buffer === "string" ? location.buffer : `slot${location.buffer.slot}`;
  bindings.forEach((a, i) => {
    for (const b of bindings.slice(i + 1)) {
      if (name(a) !== name(b) || (!a.writes && !b.writes)) continue;
      const apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
      if (a.writes !== b.writes || !apart) throw new Error(`${node.id}: ${name(a)} is bound twice in one dispatch`);
    }
  });
}

/** Kernels whose output overwrites an input. */
interface InPlacePlan extends InPlace {
  readonly plan: KernelPlan;
}

/**
 * Returns the kernels of `node` with an output that overwrites an input. The two share one binding: WebGPU rejects a
 * dispatch that reads and writes a buffer through two bindings.
 *
 * @param plan the node's kernels with a buffer for each tensor
 * @param make builds the same kernels with an output over an input
 * @param dies returns true if the input is bound here once and not read after this node
 * @returns null if no output can overwrite an input
 */
function inPlacePlan(
  node: Node,
  plan: KernelPlan,
  make: (over: InPlace) => KernelPlan,
  dies: (input: number) => boolean,
): InPlacePlan | null {
  const inputs = node.inputs.map((input) => input.type);
  for (const over of node.op.inPlace?.(inputs, node.outputs, node.attrs) ?? []) {
    const [from, to] = [inputs[over.input], node.outputs[over.output]];
    if (from === undefined || to === undefined) continue;
    if (from.dtype !== to.dtype || from.layout !== to.layout || !sameShape(from.shape, to.shape)) continue;
    if (!dies(over.input) || !isPossible(plan, over)) continue;
    const made = make(over);
    if (!made.kernels.some((kernel) => bindsBoth(kernel, over))) return { ...over, plan: made };
  }
  return null;
}

/** Returns true if one kernel writes the output and no later kernel reads the input. */
function isPossible({ kernels }: KernelPlan, over: InPlace): boolean {
  const writers = kernels.filter((kernel) => binds(kernel, { output: over.output }));
  return writers.length === 1 &&
    !kernels.slice(kernels.indexOf(writers[0]!) + 1).some((kernel) => binds(kernel, { input: over.input }));
}

function bindsBoth(kernel: Kernel, { input, output }: InPlace): boolean {
  return binds(kernel, { input }) && binds(kernel, { output });
}

type Kernel = KernelPlan["kernels"][number];

function binds({ bindings }: Kernel, tensor: { input: number } | { output: number }): boolean {
  const is = (ref: BufferRef) =>
    "input" in ref ? "input" in tensor && ref.input === tensor.input : "output" in ref && "output" in tensor &&
      ref.output === tensor.output;
  return bindings.some(({ ref }) => is(ref));
}
