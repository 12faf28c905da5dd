import { lazyList } from "../runtime/core/lazy.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef } from "../runtime/graph/op.ts";
import { activationGrad } from "./activation_grad.ts";
import { outputOf } from "./kernels/tensors.ts";
import type { Epilogue, KernelPlan } from "../runtime/device/kernel.ts";
import { renderCode } from "../runtime/graph/form_code.ts";

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

/**
 * Converts elementwise code with one input to an epilogue: an activation applied to a kernel's results while they are in
 * registers. This works for every kernel family, since all of them write final values with `store`. Kernels that write
 * partial sums to scratch memory have no epilogue; the kernel that adds the partial sums has it.
 *
 * @throws {Error} if the code has several inputs, a buffer or uniforms
 */
function epilogueOf(
  { name, inputs, uniforms, prelude = [], statements, value }: ElementwiseForm,
): Epilogue {
  const [x] = inputs;
  if (inputs.length !== 1 || typeof x !== "string" || uniforms !== undefined) {
    throw new Error(`${name} cannot be an epilogue: expected code of one value without uniforms`);
  }
  const apply = `fn epilogue(${x}: vec4<f32>) -> vec4<f32> { ${renderCode(statements)} return ${renderCode(value)}; }`;
  return { name, code: `${[...prelude, apply].join("\n")}\n` };
}

/**
 * Appends the epilogue's name to the names of a plan and of the kernels that apply it.
 *
 * @throws {Error} if a kernel writes output 0 without the epilogue
 */
function namedAfter({ name }: Epilogue, plan: KernelPlan): KernelPlan {
  const kernels = plan.kernels.map((kernel) => {
    if (!kernel.bindings.some(({ ref }) => "output" in ref && ref.output === 0)) return kernel;
    if (kernel.epilogue !== name) throw new Error(`${kernel.name} writes the output without the epilogue ${name}`);
    return { ...kernel, name: `${kernel.name}.${name}` };
  });
  return { ...plan, name: `${plan.name}.${name}`, kernels };
}
