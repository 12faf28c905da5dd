import { sameShape } from "../core/shape.ts";
import type { BufferRef, KernelPlan } from "../device/kernel.ts";
import { mergeBindings } from "../device/kernel_code.ts";
import type { InPlace, Node } from "../graph/op.ts";

/** A plan whose output takes the place of an input. */
export interface InPlacePlan extends InPlace {
  readonly plan: KernelPlan;
}

/**
 * The kernels of `node` with an output written over an input that `dies` there: WebGPU refuses a buffer that a dispatch
 * both reads and writes through two bindings, so they become one.
 *
 * @param dies whether nothing reads an input after this node, and it is bound here once
 * @returns null where no output can take an input's place
 */
export function inPlacePlan(node: Node, plan: KernelPlan, dies: (input: number) => boolean): InPlacePlan | null {
  const inputs = node.inputs.map((input) => input.type);
  for (const { input, output } of node.op.inPlace?.(inputs, node.outputs, node.attrs) ?? []) {
    const [from, to] = [inputs[input], node.outputs[output]];
    if (from === undefined || to === undefined) continue;
    if (from.dtype !== to.dtype || from.layout !== to.layout || !sameShape(from.shape, to.shape)) continue;
    const changed = dies(input) ? writeOver(plan, input, output) : null;
    if (changed !== null) return { input, output, plan: changed };
  }
  return null;
}

function writeOver(plan: KernelPlan, input: number, output: number): KernelPlan | null {
  const isInput = (ref: BufferRef) => "input" in ref && ref.input === input;
  const isOutput = (ref: BufferRef) => "output" in ref && ref.output === output;
  const writers = plan.kernels.filter(({ bindings }) => bindings.some(({ ref }) => isOutput(ref)));
  const [writer] = writers;
  if (writers.length !== 1 || writer === undefined) return null;
  const later = plan.kernels.slice(plan.kernels.indexOf(writer) + 1);
  if (later.some(({ bindings }) => bindings.some(({ ref }) => isInput(ref)))) return null;
  const from = writer.bindings.findIndex(({ ref }) => isOutput(ref));
  const into = writer.bindings.flatMap(({ ref }, i) => isInput(ref) ? [i] : []);
  if (into.length > 1) return null;
  // Earlier kernels have read all of it
  if (into.length === 0) return plan;
  const merged = mergeBindings(writer, from, into[0]!);
  if (merged === null) return null;
  return { ...plan, kernels: plan.kernels.map((kernel) => kernel === writer ? merged : kernel) };
}
