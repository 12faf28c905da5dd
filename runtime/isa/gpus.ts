import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";

/** An AMD GPU, as Mesa and as people call it. */
export interface Gpu {
  /** Name in tables. */
  readonly name: string;
  /** Names of Mesa's RADV, which changed between versions: `NAVI31`, formerly `GFX1100`. */
  readonly families: readonly string[];
  /** Target of LLVM. */
  readonly target: string;
  /** Products with this chip. */
  readonly products: readonly string[];
  /** What limits the waves of a SIMD; see {@linkcode Resources}. */
  readonly resources: Resources;
}

/** Resources of neighbouring SIMDs, on which a workgroup runs: a compute unit of GCN, two of RDNA. */
export interface Resources {
  /** Most waves of a SIMD. */
  readonly waves: number;
  /** SIMDs that share the LDS. */
  readonly simds: number;
  /** Bytes of LDS. */
  readonly lds: number;
}

const GCN: Resources = { waves: 10, simds: 4, lds: 65536 };
const RDNA1: Resources = { waves: 20, simds: 4, lds: 131072 };
const RDNA2: Resources = { ...RDNA1, waves: 16 };

/** GPUs by chip, the oldest first. */
export const GPUS: readonly Gpu[] = [
  gpu("POLARIS10", "gfx803", { ...GCN, waves: 8 }, ["RX 480", "RX 470", "RX 580", "RX 570", "RX 590"]),
  gpu("VEGA10", "gfx900", GCN, ["RX Vega 64", "RX Vega 56", "Vega 64", "Vega 56", "Instinct MI25"]),
  gpu("VEGA20", "gfx906", GCN, ["Radeon VII", "Instinct MI50", "Instinct MI60"]),
  gpu("RAVEN", "gfx902", GCN, ["Vega 8", "Vega 11"]),
  gpu("RENOIR", "gfx90c", GCN, ["Vega 6", "Vega 7"]),
  gpu("NAVI10", "gfx1010", RDNA1, ["RX 5700", "RX 5700 XT", "RX 5600", "RX 5600 XT"]),
  gpu("NAVI14", "gfx1012", RDNA1, ["RX 5500", "RX 5500 XT", "RX 5300"]),
  gpu("NAVI21", "gfx1030", RDNA2, ["RX 6800", "RX 6800 XT", "RX 6900 XT", "RX 6950 XT"]),
  gpu("NAVI22", "gfx1031", RDNA2, ["RX 6700", "RX 6700 XT", "RX 6750 XT"]),
  gpu("NAVI23", "gfx1032", RDNA2, ["RX 6600", "RX 6600 XT", "RX 6650 XT"]),
  gpu("NAVI24", "gfx1034", RDNA2, ["RX 6400", "RX 6500 XT"]),
  gpu("VANGOGH", "gfx1033", RDNA2, ["Steam Deck"]),
  gpu("REMBRANDT", "gfx1035", RDNA2, ["Radeon 680M", "Radeon 660M"]),
  gpu("GFX1100", "gfx1100", RDNA2, ["RX 7900 XTX", "RX 7900 XT", "RX 7900 GRE"], ["NAVI31"]),
  gpu("GFX1101", "gfx1101", RDNA2, ["RX 7800 XT", "RX 7700 XT"], ["NAVI32"]),
  gpu("GFX1102", "gfx1102", RDNA2, ["RX 7600", "RX 7600 XT"], ["NAVI33"]),
  gpu("GFX1103", "gfx1103", RDNA2, ["Radeon 780M", "Radeon 760M"], [
    "GFX1103_R1",
    "PHOENIX",
  ]),
  gpu("GFX1150", "gfx1150", RDNA2, ["Radeon 890M", "Radeon 880M"], ["STRIX1"]),
  gpu("GFX1200", "gfx1200", RDNA2, ["RX 9060 XT"], ["NAVI44"]),
  gpu("GFX1201", "gfx1201", RDNA2, ["RX 9070", "RX 9070 XT"], ["NAVI48"]),
];

function gpu(
  name: string,
  target: string,
  resources: Resources,
  products: readonly string[],
  others: readonly string[] = [],
): Gpu {
  return { name, families: [name, ...others], target, products, resources };
}

/** GPUs that kernels are compiled for by default: RDNA 2, RDNA 3, and the wider waves of GCN. */
export const DEFAULT_GPUS: readonly string[] = ["NAVI21", "GFX1100", "VEGA10"];

/**
 * Finds a GPU by its family, its target, or a product's name: `navi21`, `gfx1030`, `RX 6800`, `AMD Radeon RX 6800`.
 *
 * @throws {InputError} naming the nearest name, if there is none
 */
export function findGpu(text: string): Gpu {
  const wanted = plain(text);
  const names = (gpu: Gpu) => [...gpu.families, gpu.target, ...gpu.products];
  const found = GPUS.find((gpu) => names(gpu).some((name) => plain(name) === wanted));
  if (found !== undefined) return found;
  throw new InputError(`--gpu: unknown GPU "${text}"${suggestion(text, GPUS.flatMap(names))}`);
}

/** Drops what a product's name may have or lack. */
function plain(name: string): string {
  return name.toLowerCase().replace(/\b(amd|radeon)\b|\(tm\)|[\s_-]+/g, "");
}
