import type { KernelSpec } from "../device/kernel.ts";
import type { Plan } from "../compile/plan.ts";

/**
 * Returns the plan with kernels that do nothing. Dispatches, grids, bind groups and the number of pipelines stay the
 * same, so its steps measure the cost of submission and launch alone. They do not change the training state.
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

/** Returns an empty kernel. Pipelines are cached by source; the comment gives each kernel its own pipeline. */
function nullKernel(kernel: KernelSpec): KernelSpec {
  const wgsl = `// ${kernel.name}\n@compute @workgroup_size(${kernel.workgroupSize.join(", ")})\nfn main() {}\n`;
  return { ...kernel, name: `null.${kernel.name}`, wgsl };
}
