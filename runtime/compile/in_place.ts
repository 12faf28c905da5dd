import { sameShape } from "../core/shape.ts";
import type { BufferRef, KernelPlan } from "../device/kernel.ts";
import type { InPlace, Node } from "../graph/op.ts";

/** Kernels whose output overwrites an input. */
export interface InPlacePlan extends InPlace {
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
