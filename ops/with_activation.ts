import { lazyList } from "../runtime/core/lazy_list.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef } from "../runtime/graph/op.ts";
import { activationGrad } from "./activation_grad.ts";
import { epilogueOf, namedAfter } from "./kernels/epilogue.ts";
import { outputOf } from "./kernels/tensors.ts";

/** Attributes of an op fused with the activation that follows it. */
export interface ActivatedAttrs<A> {
  readonly base: A;
  readonly form: ElementwiseForm;
  /**
   * Derivative from `dy` and the output; null if it needs the activation's input, so that only inference can fuse it.
   */
  readonly derivative: ElementwiseForm | null;
}

const made = new Map<OpDef<never>, OpDef<never>>();

/**
 * Returns `op` with an activation applied to its output 0 before it is stored. The gradient passes through the
 * activation and, if input 2 is a bias, sums the bias's gradient in the same pass.
 */
export function withActivation<A>(op: OpDef<A>): OpDef<ActivatedAttrs<A>> {
  const known = made.get(op as OpDef<never>);
  if (known !== undefined) return known as OpDef<ActivatedAttrs<A>>;
  const activated: OpDef<ActivatedAttrs<A>> = {
    type: op.type,
    precision: op.precision,
    roles: op.roles ?? [],
    aliases: op.aliases ?? {},
    shape: (inputs, { base }) => op.shape(inputs, base),
    cost(inputs, outputs, { base, form }) {
      const { flops, bytes } = op.cost(inputs, outputs, base);
      return { flops: flops + form.flops * sizeOf(outputs[0]!.shape), bytes };
    },
    gradient(node, [dy], needs) {
      const { base, form, derivative } = node.attrs;
      if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
      if (derivative === null || op.gradient === undefined) {
        throw new Error(`${node.id}: ${op.type} fused with ${form.name} has no gradient`);
      }
      const bias = needs[2] ? node.inputs[2]!.type : null;
      const { dz, db } = activationGrad(dy, outputOf(node, 0), derivative, bias, node.members);
      const gradients = op.gradient({ ...node, op, attrs: base }, [dz], needs.map((needed, i) => needed && i !== 2));
      return gradients.map((gradient, i) => i === 2 ? db : gradient);
    },
    candidates(context) {
      const epilogue = epilogueOf(context.attrs.form);
      const plans = op.candidates({ ...context, attrs: context.attrs.base, epilogue });
      return lazyList(plans.length, (i) => namedAfter(epilogue, plans[i]!));
    },
  };
  made.set(op as OpDef<never>, activated as OpDef<never>);
  return activated;
}
