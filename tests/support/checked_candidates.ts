import type { Device } from "../../runtime/device/device.ts";
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import { full } from "./full.ts";

/** Sizes of tiles, vectors and unrolled loops in a candidate's name. */
const SIZES = /(?<=[.xs])\d+/g;

/** Families with a candidate that this process has checked. */
const families = new Set<string>();

/** Returns the name of a candidate's family, whose members differ in sizes of tiles. */
export function familyOf({ name }: KernelPlan): string {
  return name.replaceAll(SIZES, "#");
}

/**
 * Returns a function that gives the indices of those candidates of a node that a test checks: all in the full set.
 * Compilation takes most of a test's time, so that in the fast set they are the default, the first candidate that any test
 * of the file has in a family, and those whose kernels are compiled. Equal nodes get equal indices.
 *
 * @param most maximum number of candidates
 * @param change change of a kernel before it runs
 */
export function candidatesToCheck(
  device: Device,
  most = Infinity,
  change: (kernel: KernelSpec) => KernelSpec = (kernel) => kernel,
): (plans: readonly KernelPlan[]) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  const isWanted = (plan: KernelPlan, index: number) =>
    full || index === 0 || !families.has(familyOf(plan)) ||
    plan.kernels.every((kernel) => device.pipelines.creationTime(change(kernel)) !== null);
  return (plans) => {
    const key = plans.map(({ name }) => name).join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const indices: number[] = [];
    for (const [i, plan] of plans.entries()) {
      if (indices.length === most) break;
      if (!isWanted(plan, i)) continue;
      families.add(familyOf(plan));
      indices.push(i);
    }
    known.set(key, indices);
    return indices;
  };
}
