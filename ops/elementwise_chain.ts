import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import { bytesOf } from "./buffers.ts";
import { type ChainAttrs, chainKernel, ownOpsOf } from "./kernels/chain.ts";
import { overInputs } from "./kernels/elementwise_form.ts";

/** Several elementwise ops in one kernel; intermediate values stay in registers, as f32. */
export const elementwiseChainOp: OpDef<ChainAttrs> = {
  type: "elementwise",
  precision: "follow",
  shape: (_inputs, { outputs }) => outputs.map(({ type }) => type),
  cost: (inputs, outputs, { steps }) => ({
    flops: steps.reduce((sum, { form }) => sum + form.flops, 0) * sizeOf(outputs[0]!.shape),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  ownOps: ({ steps }) => ownOpsOf(steps),
  inPlace: overInputs,
  candidates: (context) => [chainKernel(context.attrs, context)],
};

const randomChainOp: OpDef<ChainAttrs> = { ...elementwiseChainOp, roles: ["random"] };

/** Returns the op that fuses `ops`; it has the role `random` if one of them has. */
export function elementwiseChain(ops: readonly OpDef<never>[]): OpDef<ChainAttrs> {
  return ops.some(({ roles }) => roles?.includes("random")) ? randomChainOp : elementwiseChainOp;
}
