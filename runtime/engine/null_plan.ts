import type { KernelSpec } from "../device/kernel.ts";
import type { Plan } from "../compile/plan.ts";

/**
 * The plan with kernels that do nothing: as many dispatches of the same grids with the same bind groups, and as many
 * pipelines, so that handing over and launching is all that it takes. Steps of it leave the training state as it is.
 */
export function nullPlan(plan: Plan): Plan {
  return {
    ...plan,
    segments: plan.segments.map((segment) => ({
      ...segment,
      dispatches: segment.dispatches.map((dispatch) => ({ ...dispatch, kernel: nullKernel(dispatch.kernel) })),
    })),
  };
}

/** Pipelines are told apart by their source, so the comment gives each kernel one of its own. */
function nullKernel(kernel: KernelSpec): KernelSpec {
  const wgsl = `// ${kernel.name}\n@compute @workgroup_size(${kernel.workgroupSize.join(", ")})\nfn main() {}\n`;
  return { ...kernel, name: `null.${kernel.name}`, wgsl };
}
