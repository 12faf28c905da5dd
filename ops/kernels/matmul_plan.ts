/**
 * How a matrix product is computed: by which kernel family, in which tiles, and whether the sum is split. With few tiles
 * it is split along k; the partial sums are added by `reduce_partials.ts` in a fixed order. That stage also writes results
 * whose rows are no multiple of four long, since stores of single numbers are slow to compile.
 *
 * @module
 */
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { type MatmulTile, registerMatmul } from "./matmul.ts";
import type { MatmulProblem } from "./matmul_problem.ts";
import { simdColumns, simdFits, simdMatmul, type SimdTile } from "./matmul_simd.ts";
import { tiledMatmul } from "./matmul_tiled.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";
import { hasSimd, SIMD_LANES, simdLanes } from "./simd.ts";
import { type TiledTile, tiledTiles, tilesOf, WANTED_WORKGROUPS } from "./tiled_tile.ts";

/** A kernel family with its tile. */
interface Family {
  /** Workgroups of one matrix, unsplit, and how many there should be; of register tiles, invocations. */
  readonly busy: number;
  readonly wanted: number;
  /** The most parts that k may be split into. */
  readonly mostSplits: number;
  kernel(splits: number, c: FloatBuffer): KernelSpec;
}

/** Plans worth trying, the default first. */
export function matmulPlans(problem: MatmulProblem, traits: DeviceTraits): KernelPlan[] {
  const { m, n, k } = problem;
  const mostSplits = Math.min(Math.floor(k / 64), 16);
  const registers = (tile: MatmulTile): Family => ({
    busy: Math.ceil(m / tile.rows) * Math.ceil(n / (4 * tile.vectors)),
    wanted: traits.class === "cpu" ? 256 : 16384,
    mostSplits,
    kernel: (splits, c) => registerMatmul(problem, tile, splits, c, traits),
  });
  const simd = (tile: SimdTile): Family => ({
    busy: Math.ceil(m / tile.rows) * Math.ceil(n / simdColumns(tile)),
    wanted: hasSimd(traits) ? 32 : 512,
    mostSplits,
    kernel: (splits, c) => simdMatmul(problem, tile, splits, c, traits),
  });
  const tiled = (tile: TiledTile): Family => ({
    busy: tilesOf(tile, m, n),
    wanted: 2 * WANTED_WORKGROUPS,
    mostSplits: mostTiledSplits(problem),
    kernel: (splits, c) => tiledMatmul(problem, tile, splits, c, traits),
  });
  const choices = families(problem, traits, registers, tiled);
  const lanes = simdLanes(traits);
  if (lanes !== null && !hasSimd(traits) && simdFits(problem)) {
    // Never the default: whether they pay is not known
    choices.push(...smallSimdTiles(problem, lanes).map(simd));
  }
  if (hasSimd(traits) && simdFits(problem)) {
    const wide = simdTiles(problem).map((tile) => simd({ lanes: SIMD_LANES, ...tile }));
    // A workgroup is 32 columns wide
    if (n > 16) choices.unshift(...wide);
    else choices.push(...wide);
  }
  return choices.map((family) => plan(problem, family, traits));
}

function simdTiles({ a, b, m, n }: MatmulProblem): Omit<SimdTile, "lanes">[] {
  if (a.order === "columns" && b.order === "rows") {
    return n > 32 ? [{ rows: 32, vectors: 2 }, { rows: 32, vectors: 1 }] : [{ rows: 32, vectors: 1 }];
  }
  if (a.order === "columns") return [{ rows: 32, vectors: 1 }];
  return m > 16 ? [{ rows: 32, vectors: 1 }, { rows: 16, vectors: 2 }] : [{ rows: 16, vectors: 2 }];
}

/** Tiles for GPUs, which want few registers, leaving out those that are mostly surplus columns or rows. */
function smallSimdTiles({ m, n }: MatmulProblem, lanes: number): SimdTile[] {
  const [rows, columns] = [m > 8 ? 16 : 8, 4 * lanes];
  if (m <= 4 || n <= columns / 2) return [];
  if (n <= columns * 1.5) return [{ lanes, rows, vectors: 1 }];
  return rows === 8 ? [{ lanes, rows, vectors: 2 }] : [{ lanes, rows, vectors: 2 }, { lanes, rows: 8, vectors: 2 }];
}

function families(
  problem: MatmulProblem,
  traits: DeviceTraits,
  registers: (tile: MatmulTile) => Family,
  tiled: (tile: TiledTile) => Family,
): Family[] {
  const { m, n, batch } = problem;
  if (traits.class === "gpu") {
    const small = registers({ lanes: 64, rows: 4, vectors: 1 });
    if (m < 16 || n < 16) return [small];
    const copies = Math.max(batch, mostTiledSplits(problem));
    return [...tiledTiles(m, n, copies, traits).map(tiled), small];
  }
  if (n <= 4) return [registers({ lanes: 8, rows: 16, vectors: 1 })];
  if (n <= 8) return [registers({ lanes: 8, rows: 16, vectors: 2 })];
  return [registers({ lanes: 8, rows: 16, vectors: 4 }), registers({ lanes: 8, rows: 8, vectors: 4 })];
}

/** With fewer steps along k, adding the parts up costs more than the workgroups gain. */
function mostTiledSplits({ k, batch }: MatmulProblem): number {
  return batch > 1 ? 1 : Math.max(1, Math.min(Math.floor(k / 128), 128));
}

function plan(problem: MatmulProblem, family: Family, traits: DeviceTraits): KernelPlan {
  const { m, n, batch, sumBatch, c, bias } = problem;
  const splits = batch > 1 ? 1 : splitsFor(family);
  if (splits === 1 && !sumBatch && n % 4 === 0) {
    const kernel = family.kernel(1, c);
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const partial = { workspace: 0 };
  const kernel = family.kernel(splits, { ref: partial, dtype: "f32" });
  const shape = sumBatch || splits > 1
    ? { splits: sumBatch ? batch : splits, rows: m, groups: 1, columns: n }
    : { splits: 1, rows: batch * m, groups: 1, columns: n };
  // Without a split, the bias is in the product already.
  const late = splits > 1 ? bias : null;
  return {
    name: kernel.name,
    kernels: [kernel, reducePartials({ ...shape, partial, target: c, bias: late, traits })],
    workspace: [partialBytes(shape)],
  };
}

/** Parts that k is split into, a function of the shape alone: none where tiles alone keep a device busy. */
function splitsFor({ busy, wanted, mostSplits }: Family): number {
  return Math.max(1, Math.min(Math.floor(wanted / busy), mostSplits));
}
