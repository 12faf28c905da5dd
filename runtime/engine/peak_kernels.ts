import { vectorLoop } from "../../ops/kernels/elementwise.ts";
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";

/** A kernel that does one kind of work, and the amount of work. */
export interface PeakKernel {
  readonly kernel: KernelSpec;
  /** Floating-point operations, or bytes read and written, of one dispatch. */
  readonly work: number;
}

/** Builds a kernel of a given length. `rounds` grows until the run is long enough to measure. */
export type PeakShape = (rounds: number) => PeakKernel;

const OUTPUTS = 4096;
/** Bytes of the buffer to which multiply-add kernels write. */
export const OUTPUT_BYTES = OUTPUTS * 16;

/**
 * Returns kernels that compute multiply-adds in registers. Sums are independent, which hides latency, and the compiler
 * cannot fold their values. No number of sums is the fastest on all adapters, so there are several.
 */
export function multiplyAddShapes(type: "f32" | "f16", traits: DeviceTraits): PeakShape[] {
  const cpu = traits.class === "cpu";
  const lanes = cpu ? 8192 : 1 << 20;
  const workgroup = cpu ? 8 : Math.min(256, traits.maxInvocations);
  return [8, 16, 32].map((sums) => (rounds) => {
    // Software adapters slow down in long loop bodies; GPUs prefer few branches
    const unrolled = cpu ? 1 : 64 / sums;
    return {
      kernel: multiplyAdd(
        type,
        sums,
        unrolled,
        workgroup,
        linearGrid(lanes, workgroup, traits.maxWorkgroupsPerDimension),
        rounds,
      ),
      work: 2 * 4 * sums * unrolled * rounds * lanes,
    };
  });
}

function multiplyAdd(
  type: "f32" | "f16",
  sums: number,
  unrolled: number,
  workgroup: number,
  grid: [number, number, number],
  rounds: number,
): KernelSpec {
  const vector = `vec4<${type}>`;
  const each = (line: (i: number) => string) => Array.from({ length: sums }, (_, i) => line(i)).join("\n");
  const body = each((i) => `s${i} = fma(s${i}, x, y);`);
  return defineKernel({
    name: `${type} multiply-add, ${sums} vec4 sums a lane`,
    buffers: { out: { ref: { output: 0 }, type: vector } },
    uniforms: { rounds, x: { f32: 0.999 }, y: { f32: 0.001 } },
    workgroupSize: [workgroup],
    grid,
    body: `let lane = ${LINEAR_INDEX(workgroup)};
let x = ${vector}(${type}(u.x));
let y = ${vector}(${type}(u.y));
let seed = ${type}(lane & 15u) / 16;
${each((i) => `var s${i} = ${vector}(seed + ${type}(${i}));`)}
for (var round = 0u; round < u.rounds; round++) {
${Array.from({ length: unrolled }, () => body).join("\n")}
}
out[lane % ${OUTPUTS}u] = ${Array.from({ length: sums }, (_, i) => `s${i}`).join(" + ")};`,
  });
}

/**
 * Returns kernels that copy `bytes` between buffers: in the order of elementwise ops, and in rows of a workgroup's
 * width.
 */
export function copyShapes(bytes: number, traits: DeviceTraits): PeakShape[] {
  const vectors = bytes / 16;
  const buffers = {
    source: { ref: { input: 0 }, type: "vec4<f32>" },
    copy: { ref: { output: 0 }, type: "vec4<f32>" },
  } as const;
  const workgroup = traits.class === "cpu" ? 64 : Math.min(256, traits.maxInvocations);
  const rows = (count: number) =>
    defineKernel({
      name: `copy, ${count} vec4 a lane`,
      buffers,
      uniforms: { vectors },
      workgroupSize: [workgroup],
      grid: linearGrid(vectors / count, workgroup, traits.maxWorkgroupsPerDimension),
      body: `let first = (wid.y * grid.x + wid.x) * ${workgroup * count}u + lix;
if (first >= u.vectors) { return; }
${
        Array.from({ length: count }, (_, i) => `copy[first + ${i * workgroup}u] = source[first + ${i * workgroup}u];`)
          .join("\n")
      }`,
    });
  const walk = defineKernel({
    name: "copy, as elementwise ops",
    buffers,
    ...vectorLoop(vectors, traits, "copy[i] = source[i];"),
  });
  return [walk, rows(1), rows(4)].map((kernel) => () => ({ kernel, work: 2 * bytes }));
}
