import { sha256 } from "../core/sha256.ts";
import type { KernelSpec } from "../device/kernel.ts";
import { type Dispatch, type Plan, runsPerStep } from "./plan.ts";

/** Hexadecimal digits of a kernel's hash. */
const HASH_DIGITS = 12;

/** Kernel of a plan: `hash` identifies its WGSL and bindings, which kernels that differ only in shapes share. */
export interface PlannedKernel {
  readonly name: string;
  readonly hash: string;
  readonly dispatches: number;
}

/** Counts of a compiled step; see `result/exact.ts`. */
export interface PlanCounts {
  dispatches: number;
  pipelines: number;
  buffers: number;
  flops: number;
  bytes: number;
  kernels: PlannedKernel[];
}

/** Code of a kernel, as `tacho isa` reads it. */
export interface KernelCode {
  name: string;
  wgsl: string;
  /** Dispatches in a step. */
  dispatches: number;
}

/** Returns the code of a step's kernels, each once, in the order of their first dispatch. */
export function planKernels(plan: Plan): KernelCode[] {
  return [...Map.groupBy(dispatchesOf(plan), ({ kernel }) => kernel.wgsl)].map(([wgsl, uses]) => ({
    name: uses[0]!.kernel.name,
    wgsl,
    dispatches: uses.length,
  }));
}

/** Returns the dispatches of a step, over all its micro-batches. */
function dispatchesOf(plan: Plan): Dispatch[] {
  return plan.segments.flatMap(({ phase, dispatches }) =>
    Array.from({ length: runsPerStep(plan, phase) }, () => dispatches).flat()
  );
}

/** Counts the work of a compiled step, over all its micro-batches. Needs no device. */
export function planCounts(plan: Plan): PlanCounts {
  const dispatches = dispatchesOf(plan);
  const groups = Map.groupBy(dispatches, ({ kernel }) => kernelSource(kernel));
  const kernels = [...groups].map(([source, uses]) => ({
    name: uses[0]!.kernel.name,
    hash: sha256(source).slice(0, HASH_DIGITS),
    dispatches: uses.length,
  }));
  const buffers = new Set(
    dispatches.flatMap(({ bindings }) =>
      bindings.map(({ buffer }) => typeof buffer === "string" ? buffer : buffer.slot)
    ),
  );
  return {
    dispatches: dispatches.length,
    pipelines: kernels.length,
    buffers: buffers.size,
    flops: sum(Object.values(plan.flops)),
    bytes: sum(plan.nodes.map(({ bytes, phase }) => bytes * runsPerStep(plan, phase))),
    kernels: kernels.toSorted((a, b) => a.name.localeCompare(b.name, "en") || a.hash.localeCompare(b.hash, "en")),
  };
}

function kernelSource({ bindings, uniforms, wgsl }: KernelSpec): string {
  return `${bindings.map(({ access }) => access).join()};${uniforms !== null}\n${wgsl}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
