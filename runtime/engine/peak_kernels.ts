import { vectorLoop } from "../../ops/kernels/elementwise.ts";
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";

/** A kernel that does nothing but one kind of work, and how much of it. */
export interface PeakKernel {
  readonly kernel: KernelSpec;
  /** Operations, or bytes read and written, of one dispatch. */
  readonly work: number;
}

/** Loads a kernel of some length: `rounds` grows until the time can be measured well. */
export type PeakShape = (rounds: number) => PeakKernel;

const OUTPUTS = 4096;
/** Bytes of the buffer that multiply-add kernels write their results to. */
export const OUTPUT_BYTES = OUTPUTS * 16;

/**
 * Multiply-adds on a tile of registers: independent sums, so that latency is hidden, of values that cannot be folded.
 * Several tile sizes, since none is the best everywhere.
 */
export function multiplyAddShapes(type: "f32" | "f16", traits: DeviceTraits): PeakShape[] {
  const cpu = traits.class === "cpu";
  const lanes = cpu ? 8192 : 1 << 20;
  const workgroup = cpu ? 8 : Math.min(256, traits.maxInvocations);
  return [8, 16, 32].map((sums) => (rounds) => {
    // Software adapters slow down in long loop bodies (PLATFORM, "Kernels on lavapipe"); GPUs want few branches
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

/** Copies of `bytes` from one buffer to another: as elementwise ops walk memory, and in rows of a workgroup's width. */
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
