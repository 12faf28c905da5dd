import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { KernelPlan } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { InPlace, Node } from "./op.ts";

/**
 * Returns the alternative kernels of a node, the adapter's default first.
 *
 * @param over an output that takes an input's place
 * @throws {InputError} with the node's name, if its tensors are too large for a kernel or a script's kernel is wrong
 */
export function candidatesOf(node: Node, traits: DeviceTraits, over?: InPlace): readonly KernelPlan[] {
  const { op, attrs, outputs, randomKey } = node;
  const inputs = node.inputs.map((input) => input.type);
  try {
    const plans = op.candidates({ attrs, inputs, outputs, traits, randomKey, ...over && { over } });
    const ownOps = op.ownOps?.(attrs) ?? [];
    if (ownOps.length === 0) return plans;
    return plans.map((plan) => ({ ...plan, kernels: plan.kernels.map((kernel) => ({ ...kernel, ownOps })) }));
  } catch (error) {
    if (!isInstance(error, InputError)) throw error;
    throw new InputError(`model: layer "${node.id}": ${error.message}`, { cause: error });
  }
}
