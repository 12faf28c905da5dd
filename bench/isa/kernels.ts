/**
 * The kernels that the cases of `kernels.ts` get on GPUs by default, as `tacho isa` reads them.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { AMD_TRAITS } from "../../runtime/device/traits.ts";
import { candidatesOf } from "../../runtime/graph/candidates.ts";
import type { KernelSource } from "../../runtime/isa/types.ts";
import { attentionCases } from "../attention_cases.ts";
import type { KernelCase } from "../kernel_case.ts";
import { gpuMemoryCases, memoryCases } from "../memory_cases.ts";
import { gpuProductCases, productCases } from "../product_cases.ts";
import { reductionCases } from "../reduction_cases.ts";
import { transformerMemory, transformerProducts } from "../transformer_cases.ts";

const CASES = [
  productCases,
  gpuProductCases,
  transformerProducts,
  memoryCases,
  gpuMemoryCases,
  transformerMemory,
  reductionCases,
  attentionCases,
];

/** A kernel with the case that it is the default of. */
export interface BenchKernel extends KernelSource {
  readonly of: string;
}

/** Yields each default kernel once, in f32 and f16, with names that are unique. */
export function* benchKernels(): Generator<BenchKernel> {
  const seen = new Set<string>();
  const times = new Map<string, number>();
  for (const dtype of ["f32", "f16"] as const) {
    for (const item of CASES.flatMap((cases): KernelCase[] => [...cases(dtype)])) {
      for (const { name, wgsl } of defaultKernels(item)) {
        if (seen.has(wgsl)) continue;
        seen.add(wgsl);
        const time = (times.get(name) ?? 0) + 1;
        times.set(name, time);
        yield { name: time === 1 ? name : `${name}#${time}`, wgsl, dispatches: null, of: `${item.name} ${dtype}` };
      }
    }
  }
}

function defaultKernels({ output }: KernelCase): readonly KernelSpec[] {
  return candidatesOf(output.node, AMD_TRAITS)[0]?.kernels ?? [];
}
