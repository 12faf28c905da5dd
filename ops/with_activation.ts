import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef } from "../runtime/graph/op.ts";
import { activationGrad } from "./activation_grad.ts";
import { epilogueOf, namedAfter } from "./kernels/epilogue.ts";
import { outputOf } from "./kernels/tensors.ts";

/** Attributes of an op with an activation behind it. */
export interface ActivatedAttrs<A> {
  readonly base: A;
  /** The activation. */
  readonly form: ElementwiseForm;
  /** Its derivative from `dy` and the output; null where it needs more, which only inference can do without. */
  readonly derivative: ElementwiseForm | null;
}

const made = new Map<OpDef<never>, OpDef<never>>();

/**
 * `op` with an activation applied to its output 0 before it is written. The gradient goes through the activation and, where
 * input 2 is a bias, sums its gradient in the same pass.
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
      const { base, derivative } = node.attrs;
      if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
      if (derivative === null || op.gradient === undefined) throw new Error(`${node.id}: has no gradient when fused`);
      const bias = needs[2] ? node.inputs[2]!.type : null;
      const { dz, db } = activationGrad(dy, outputOf(node, 0), derivative, bias, node.members);
      const gradients = op.gradient({ ...node, op, attrs: base }, [dz], needs.map((needed, i) => needed && i !== 2));
      return gradients.map((gradient, i) => i === 2 ? db : gradient);
    },
    candidates(context) {
      const epilogue = epilogueOf(context.attrs.form);
      return op.candidates({ ...context, attrs: context.attrs.base, epilogue })
        .map((plan) => namedAfter(epilogue, plan));
    },
  };
  made.set(op as OpDef<never>, activated as OpDef<never>);
  return activated;
}
