import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { lazyList } from "../core/lazy.ts";
import type { KernelPlan } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { type InPlace, type Node, type OpDef, placeOf } from "./op.ts";

/**
 * Returns the alternative kernels of a node, the adapter's default first. Reading one generates it, since most plans need
 * only the first.
 *
 * @param over an output that takes an input's place
 * @throws {InputError} with the node's name, if its tensors are too large for a kernel or a script's kernel is wrong
 */
export function candidatesOf(node: Node, traits: DeviceTraits, over?: InPlace): readonly KernelPlan[] {
  const { op, attrs, outputs, randomKey } = node;
  const inputs = node.inputs.map((input) => input.type);
  const ownOps = op.ownOps?.(attrs) ?? [];
  const plans = named(node, () => op.candidates({ attrs, inputs, outputs, traits, randomKey, ...over && { over } }));
  return lazyList(plans.length, (i) => {
    const plan = named(node, () => plans[i]!);
    return ownOps.length === 0 ? plan : { ...plan, kernels: plan.kernels.map((kernel) => ({ ...kernel, ownOps })) };
  });
}

/** Calls `generate` and adds the node's name to its errors. */
function named<T>(node: Node, generate: () => T): T {
  try {
    return generate();
  } catch (error) {
    if (!isInstance(error, InputError)) throw error;
    throw new InputError(`model: layer "${placeOf(node.id)}": ${error.message}`, { cause: error });
  }
}

/**
 * Returns a function like {@linkcode candidatesOf} that generates the kernels of equal nodes once. Models repeat their
 * blocks, and most of the time of a compilation goes into the WGSL of their kernels.
 */
export function cachedCandidates(traits: DeviceTraits): (node: Node, over?: InPlace) => readonly KernelPlan[] {
  const known = new Map<OpDef<unknown>, Map<string, readonly KernelPlan[]>>();
  return (node, over) => {
    const plans = known.get(node.op) ?? new Map<string, readonly KernelPlan[]>();
    known.set(node.op, plans);
    const key = keyOf(node, over);
    const found = plans.get(key) ?? candidatesOf(node, traits, over);
    plans.set(key, found);
    return found;
  };
}

/** Returns all that kernels depend on, besides the op and the adapter. */
function keyOf({ op, attrs, inputs, outputs, randomKey }: Node, over: InPlace | undefined): string {
  const random = op.roles?.includes("random") === true ? randomKey : null;
  return JSON.stringify([attrs, inputs.map(({ type }) => type), outputs, over, random], (_, value) => {
    // JSON writes other numbers as null, and -0 as 0
    if (Object.is(value, -0)) return "number -0";
    return typeof value === "number" && !Number.isFinite(value) ? `number ${value}` : value;
  });
}
