import { sha256 } from "../../core/sha256.ts";
import type { KernelPlan } from "../../device/kernel.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Node } from "../../graph/op.ts";
import type { TensorType } from "../../graph/types.ts";
import type { Config } from "../../scenario/config.ts";
import type { Choose } from "../../compile/lower.ts";
import { type CompiledVariant, compileVariant } from "../../compile/variant.ts";

/** An op in one shape that has more than one candidate. */
export interface TuningTask {
  /** Hash of op, attributes, shapes, types and the candidates' code. Equal keys have equal times on one adapter. */
  readonly key: string;
  /** Type of the op. */
  readonly op: string;
  /** IDs of the nodes in a step to which the task applies. */
  readonly nodes: readonly string[];
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  /** Candidates, the default first. */
  readonly candidates: readonly KernelPlan[];
}

/** ID ({@linkcode candidateId}) of the chosen candidate, by task key. */
export type TunedChoices = ReadonlyMap<string, string>;

/** Returns the ops of a variant's step that have several candidates, those with the most work first. */
export function tuningTasks(config: Config, dataset: DatasetDescription, traits: DeviceTraits): TuningTask[] {
  const seen = new Map<string, { node: Node; candidates: readonly KernelPlan[]; key: string }>();
  const choose: Choose = (node, candidates) => {
    if (candidates.length > 1) seen.set(node.id, { node, candidates, key: tuningKey(node, candidates) });
    return candidates[0]!;
  };
  const { plan } = compileVariant(config, dataset, traits, { choose });
  const tasks = new Map<string, TuningTask & { flops: number }>();
  for (const { id, flops } of plan.nodes) {
    const found = seen.get(id);
    if (found === undefined) continue;
    const { node, candidates, key } = found;
    const known = tasks.get(key);
    tasks.set(key, {
      key,
      op: node.op.type,
      nodes: [...known?.nodes ?? [], id],
      inputs: node.inputs.map((input) => input.type),
      outputs: node.outputs,
      candidates,
      flops: (known?.flops ?? 0) + flops,
    });
  }
  return [...tasks.values()].sort((a, b) => b.flops - a.flops).map(({ flops: _, ...task }) => task);
}

/**
 * Compiles a variant with the kernels that tuning chose, and default kernels for the other ops.
 *
 * @param names names of the chosen kernels by node ID, for ops whose kernels have other code than when they were chosen
 * @param onMissing called with the type of an op whose named kernel is not among its candidates
 */
export function compileTuned(
  config: Config,
  dataset: DatasetDescription,
  traits: DeviceTraits,
  choices: TunedChoices,
  names: ReadonlyMap<string, string> = new Map(),
  onMissing: (op: string) => void = () => {},
): CompiledVariant {
  return compileVariant(config, dataset, traits, { choose: chooserOf(choices, names, onMissing) });
}

function chooserOf(
  choices: TunedChoices,
  names: ReadonlyMap<string, string>,
  onMissing: (op: string) => void,
): Choose {
  return (node, candidates) => {
    const name = names.get(node.id);
    const named = name === undefined ? undefined : candidates.find((candidate) => candidate.name === name);
    if (name !== undefined && named === undefined) onMissing(node.op.type);
    if (candidates.length < 2) return candidates[0]!;
    const wanted = choices.get(tuningKey(node, candidates));
    return candidates.find((candidate) => candidateId(candidate) === wanted) ?? named ?? candidates[0]!;
  };
}

function tuningKey(node: Node, candidates: readonly KernelPlan[]): string {
  const inputs = node.inputs.map((input) => input.type);
  return hash([node.op.type, node.attrs, inputs, node.outputs, candidates.map(candidateId)]);
}

const ids = new WeakMap<KernelPlan, string>();

/** Returns a hash of a candidate's WGSL, grids, uniforms and scratch memory. */
export function candidateId(plan: KernelPlan): string {
  let id = ids.get(plan);
  if (id === undefined) {
    const kernels = plan.kernels.map(({ wgsl, grid, uniforms }) => [wgsl, grid, [...uniforms ?? []]]);
    ids.set(plan, id = hash([plan.name, kernels, plan.workspace]));
  }
  return id;
}

function hash(content: unknown): string {
  return sha256(JSON.stringify(content)).slice(0, 24);
}
