import { sameShape } from "../core/shape.ts";
import type { BufferRef, KernelPlan } from "../device/kernel.ts";
import type { InPlace, Node } from "../graph/op.ts";

/** A plan whose output takes the place of an input. */
export interface InPlacePlan extends InPlace {
  readonly plan: KernelPlan;
}

/**
 * The kernels of `node` with an output written over an input that `dies` there: WebGPU refuses a buffer that a dispatch
 * both reads and writes through two bindings, so they become one.
 *
 * @param plan the node's kernels with a buffer for each tensor
 * @param make makes the same kernels with an output in the place of an input
 * @param dies whether nothing reads an input after this node, and it is bound here once
 * @returns null where no output can take an input's place
 */
export function inPlacePlan(
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

/** Whether the kernel that writes the output is the last one that reads the input. */
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
