import type { KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { OpDef } from "../../runtime/graph/op.ts";
import type { TensorType } from "../../runtime/graph/types.ts";

/** Returns an op with a single kernel, so that a kernel that belongs to no op can be evaluated. */
export function kernelOp(outputs: readonly TensorType[], kernel: (traits: DeviceTraits) => KernelSpec): OpDef<null> {
  return {
    type: "kernel",
    precision: "fixed",
    shape: () => [...outputs],
    cost: () => ({ flops: 0, bytes: 0 }),
    candidates: ({ traits }) => [{ name: "kernel", kernels: [kernel(traits)], workspace: [] }],
  };
}
