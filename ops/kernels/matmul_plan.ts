/**
 * Choice of kernel family, tile and split for a matrix product. If there are few tiles, the sum is split along k, and
 * `reduce_partials.ts` adds the partial sums in a fixed order. That stage also writes results whose row length is not a
 * multiple of four, since stores of single numbers are slow to compile.
 *
 * @module
 */
import { InputError } from "../../runtime/core/errors.ts";
import { lazyList } from "../../runtime/core/lazy.ts";
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { FloatBuffer } from "./access.ts";
import { leastParts, MAX_ITERATIONS } from "./loop_limit.ts";
import { type MatmulProblem, type MatmulTile, registerMatmul } from "./matmul.ts";
import { simdColumns, simdFits, simdMatmul, type SimdTile } from "./matmul_simd.ts";
import { tiledMatmul } from "./matmul_tiled.ts";
import { partialBytes, reducePartials } from "./reduce_partials.ts";
import { hasSimd, SIMD_LANES, simdLanes } from "./simd.ts";
import { type TiledTile, tiledTiles, tilesOf, WANTED_WORKGROUPS } from "./tiled_product.ts";

/** A kernel family with its tile. */
interface Family {
  /** Workgroups of one unsplit matrix and the wanted number of them; invocations for register tiles. */
  readonly busy: number;
  readonly wanted: number;
  /** Maximum number of parts that k is split into. */
  readonly mostSplits: number;
  kernel(splits: number, c: FloatBuffer): KernelSpec;
}

/** Returns the plans to try, the default first. Generates the kernels of a plan when it is read. */
export function matmulPlans(problem: MatmulProblem, traits: DeviceTraits): readonly KernelPlan[] {
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
    // Unmeasured, so never the default
    choices.push(...smallSimdTiles(problem, lanes).map(simd));
  }
  if (hasSimd(traits) && simdFits(problem)) {
    const wide = simdTiles(problem).map((tile) => simd({ lanes: SIMD_LANES, ...tile }));
    // A workgroup is 32 columns wide
    if (n > 16) choices.unshift(...wide);
    else choices.push(...wide);
  }
  return lazyList(choices.length, (i) => plan(problem, choices[i]!, traits));
}

function simdTiles({ a, b, m, n }: MatmulProblem): Omit<SimdTile, "lanes">[] {
  if (a.order === "columns" && b.order === "rows") {
    return n > 32 ? [{ rows: 32, vectors: 2 }, { rows: 32, vectors: 1 }] : [{ rows: 32, vectors: 1 }];
  }
  if (a.order === "columns") return [{ rows: 32, vectors: 1 }];
  return m > 16 ? [{ rows: 32, vectors: 1 }, { rows: 16, vectors: 2 }] : [{ rows: 16, vectors: 2 }];
}

/** Returns tiles for GPUs, which use few registers, without tiles that are mostly surplus columns or rows. */
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
  const tiles: MatmulTile[] = n <= 4
    ? [{ lanes: 8, rows: 16, vectors: 1 }]
    : n <= 8
    ? [{ lanes: 8, rows: 16, vectors: 2 }]
    : [{ lanes: 8, rows: 16, vectors: 4 }, { lanes: 8, rows: 8, vectors: 4 }];
  return tiles.map(registers);
}

/**
 * Returns the maximum number of splits; with fewer steps along k, adding the parts costs more than the workgroups gain.
 */
function mostTiledSplits({ k, batch }: MatmulProblem): number {
  return batch > 1 ? 1 : Math.max(1, Math.min(Math.floor(k / 128), 128));
}

/** @throws {InputError} if the sums of a batch are too long for a software adapter */
function plan(problem: MatmulProblem, family: Family, traits: DeviceTraits): KernelPlan {
  const { m, n, k, batch, sumBatch, c, bias } = problem;
  const least = leastParts(k, traits);
  if (batch > 1 && least > 1) {
    throw new InputError(
      `${problem.name}: sums of ${k} products in a batch are too long for a software adapter, whose loops end early; ` +
        `expected at most ${MAX_ITERATIONS}, or use a GPU`,
    );
  }
  const splits = batch > 1 ? 1 : Math.max(splitsFor(family), least);
  if (splits === 1 && !sumBatch && n % 4 === 0) {
    const kernel = family.kernel(1, c);
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const partial = { workspace: 0 };
  const kernel = family.kernel(splits, { ref: partial, dtype: "f32" });
  const shape = sumBatch || splits > 1
    ? { splits: sumBatch ? batch : splits, rows: m, groups: 1, columns: n }
    : { splits: 1, rows: batch * m, groups: 1, columns: n };
  // Without a split, the product already includes the bias
  const late = splits > 1 ? bias : null;
  return {
    name: kernel.name,
    kernels: [kernel, reducePartials({ ...shape, partial, target: c, bias: late, traits })],
    workspace: [partialBytes(shape)],
  };
}

/** Returns the number of parts of k, which depends on the shape only; 1 if the tiles alone keep a device busy. */
function splitsFor({ busy, wanted, mostSplits }: Family): number {
  return Math.max(1, Math.min(Math.floor(wanted / busy), mostSplits));
}
