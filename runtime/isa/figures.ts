import { analyse, type Mix } from "./assembly/mix.ts";
import type { Gpu, Resources } from "./gpus.ts";
import type { DriverAnswer } from "./radv/compile.ts";

/** Resource that limits the waves: registers, LDS, whole workgroups; `none` where they reach the GPU's limit. */
export type WaveLimit = "registers" | "LDS" | "workgroup" | "none";

/** What the compiler made of a kernel for a GPU. Null for what it does not say. */
export interface Figures {
  readonly workgroup: number;
  /** Lanes of a wave. */
  readonly lanes: number | null;
  readonly vectorRegisters: number | null;
  readonly scalarRegisters: number | null;
  readonly spilledVector: number | null;
  readonly spilledScalar: number | null;
  /** Bytes of scratch memory of a lane. */
  readonly scratch: number | null;
  /** Bytes of LDS of a workgroup. */
  readonly lds: number | null;
  /** Waves that a SIMD holds at once, and the most that it can. */
  readonly waves: number | null;
  readonly maxWaves: number;
  readonly limit: WaveLimit | null;
  readonly codeBytes: number | null;
  readonly instructions: number | null;
  /** The compiler's inverse throughput in cycles: compares versions of one kernel, not kernels. */
  readonly cost: number | null;
  readonly latency: number | null;
  /** Instructions of the kernel, and of its hottest loop. */
  readonly whole: Mix | null;
  readonly loop: Mix | null;
}

/** Lanes of a wave of RDNA that the driver's statistic counts as one. */
const COUNTED_LANES = 32;

/** Derives the figures of a kernel from the driver's statistics and assembly. */
export function figuresOf(
  { lanes: size, statistics, texts }: DriverAnswer,
  { resources, target }: Gpu,
  workgroup: number,
): Figures {
  const read = (name: string) => statistics[name] ?? null;
  const lanes = size > 0 ? size : null;
  const isRdna = Number.parseInt(target.slice(3), 16) >= 0x1000;
  const counted = read("Subgroups per SIMD");
  const waves = counted === null || lanes === null
    ? null
    : Math.min(resources.waves, isRdna ? counted / (lanes / COUNTED_LANES) : counted);
  const lds = read("LDS size");
  const assembly = texts["Assembly"];
  const { whole = null, loop = null } = assembly === undefined ? {} : analyse(assembly);
  return {
    workgroup,
    lanes,
    vectorRegisters: read("VGPRs"),
    // From GFX10 on, all kernels get the same number
    scalarRegisters: read(isRdna ? "Pre-Sched SGPRs" : "SGPRs"),
    spilledVector: read("Spilled VGPRs"),
    spilledScalar: read("Spilled SGPRs"),
    scratch: read("Scratch size"),
    lds,
    maxWaves: resources.waves,
    ...waves === null || lanes === null || lds === null
      ? { waves: null, limit: null }
      : occupancyOf(waves, { perWorkgroup: Math.ceil(workgroup / lanes), lds }, resources),
    codeBytes: read("Code size"),
    instructions: read("Instructions"),
    cost: read("Inverse Throughput"),
    latency: read("Latency"),
    whole,
    loop,
  };
}

/**
 * Returns the waves of a SIMD and what limits them. The driver's number has room for a last workgroup whose LDS does not fit
 * (Mesa 22.3 rounds up); this one has whole workgroups only.
 */
function occupancyOf(
  waves: number,
  { perWorkgroup, lds }: { readonly perWorkgroup: number; readonly lds: number },
  resources: Resources,
): { waves: number; limit: WaveLimit } {
  const byWaves = Math.max(1, Math.floor(waves * resources.simds / perWorkgroup));
  const byLds = lds === 0 ? Infinity : Math.floor(resources.lds / lds);
  const held = Math.min(byWaves, byLds) * perWorkgroup / resources.simds;
  const limit = byLds <= byWaves ? "LDS" : held >= resources.waves ? "none" : held < waves ? "workgroup" : "registers";
  return { waves: Math.min(held, resources.waves), limit };
}
