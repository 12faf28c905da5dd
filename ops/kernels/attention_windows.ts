/**
 * Passes of tiled attention for software adapters that read windows of packed heads as uniforms (`windows.ts`), which are
 * much faster to read than storage buffers and workgroup memory. A dispatch computes some heads of a sample.
 *
 * @module
 */
import { roundUp } from "../../runtime/core/round_up.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  WINDOW_BYTES,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { headStride, type PackedHeads, packedHeadsBytes, packHeads } from "./attention_pack.ts";
import {
  type AttentionPass,
  type AttentionProblem,
  FORWARD,
  KEY_GRAD,
  type MatrixName,
  matrixOf,
  passCode,
  QUERY_GRAD,
  vectorsOf,
} from "./attention_pass.ts";
import { MOST_NUMBERS, ownRows, type PassBody, passBody, readBy, VISITED } from "./attention_window_code.ts";
import { hasSimd, SIMD_LANES } from "./simd.ts";
import { largestDivisor, SLICE_ALIGNMENT, windowOf } from "./windows.ts";

/** Minimum number of multiply-adds per dispatch for which a dispatch costs less than windows save. */
const WORTHWHILE = 1 << 18;
/** Bytes of the pair of a query. */
const PAIR_BYTES = 8;

/** Place of a matrix among packed heads. */
interface Place {
  readonly heads: PackedHeads;
  readonly packed: BufferRef;
  /** First head of the matrix in each sample. */
  readonly first: number;
}

/** Heads of a dispatch, and the packed matrices. */
interface Division {
  /** Heads of queries per dispatch. */
  readonly heads: number;
  readonly places: ReadonlyMap<MatrixName, Place>;
  readonly packs: readonly KernelSpec[];
  readonly workspace: readonly number[];
}

/** A plan with windows. */
export interface WindowedAttention {
  /** True if windows save more than their dispatches cost. */
  readonly worthwhile: boolean;
  plan(): KernelPlan;
}

/** Returns the plan of the forward pass, or null if the shape is unsuitable. */
export function windowedAttention(problem: AttentionProblem, traits: DeviceTraits): WindowedAttention | null {
  const heads = headsPerDispatch(problem, traits);
  if (heads === null) return null;
  return {
    worthwhile: isWorthwhile(problem, heads),
    plan: () => {
      const division = divide(problem, ["q", "k", "v"], heads, 0);
      const kernels = passKernels(problem, FORWARD, division);
      return { name: kernels[0]!.name, kernels: [...division.packs, ...kernels], workspace: division.workspace };
    },
  };
}

/**
 * Returns the plan of the gradients, or null if the shape is unsuitable. The gradient of the queries writes the pairs of
 * logarithms and deltas, which that of the keys reads. They are workspace 0.
 */
export function windowedAttentionGrad(problem: AttentionProblem, traits: DeviceTraits): WindowedAttention | null {
  const heads = headsPerDispatch(problem, traits);
  if (heads === null) return null;
  return {
    worthwhile: isWorthwhile(problem, heads),
    plan: () => {
      const division = divide(problem, ["q", "k", "v", "y", "dy"], heads, 1);
      const kernels = [QUERY_GRAD, KEY_GRAD].flatMap((pass) => passKernels(problem, pass, division));
      const pairs = PAIR_BYTES * problem.n * problem.heads * pairStride(problem);
      return {
        name: kernels.at(-1)!.name,
        kernels: [...division.packs, ...kernels],
        workspace: [pairs, ...division.workspace],
      };
    },
  };
}

/** Returns the heads of queries of a dispatch, or null if the windows of a head are too large or its rows too long. */
function headsPerDispatch(problem: AttentionProblem, traits: DeviceTraits): number | null {
  const { n, heads, kvHeads, queries, keys } = problem;
  const [q, v] = [matrixOf(problem, "q"), matrixOf(problem, "v")];
  const columns = Math.max(q.columns, v.columns);
  if (!hasSimd(traits) || q.columns % 4 !== 0 || v.columns % 4 !== 0 || columns > MOST_NUMBERS) return null;
  if (n * heads > traits.maxWorkgroupsPerDimension) return null;
  const group = heads / kvHeads;
  const bytes = (rows: number) => 16 * headStride({ rows, vectors: columns / 4 });
  const most = Math.min(WINDOW_BYTES / bytes(keys), WINDOW_BYTES / (group * bytes(queries)));
  return most < 1 ? null : group * largestDivisor(kvHeads, Math.floor(most));
}

function isWorthwhile(problem: AttentionProblem, heads: number): boolean {
  const columns = 4 * (vectorsOf(problem, "q") + vectorsOf(problem, "v"));
  return heads * problem.queries * problem.keys * columns >= WORTHWHILE;
}

/** Returns the pairs from one head to the next. */
function pairStride({ queries }: AttentionProblem): number {
  return roundUp(queries, SLICE_ALIGNMENT / PAIR_BYTES);
}

/**
 * Packs matrices.
 *
 * @param first number of the first workspace
 */
function divide(
  problem: AttentionProblem,
  names: readonly MatrixName[],
  heads: number,
  first: number,
): Division {
  const places = new Map<MatrixName, Place>();
  const packs: KernelSpec[] = [];
  const workspace: number[] = [];
  const owners = Map.groupBy(names, (name) => JSON.stringify(matrixOf(problem, name).buffer.ref));
  for (const sharing of owners.values()) {
    const [name] = sharing as [MatrixName];
    const matrices = matrixOf(problem, name);
    const packed = { workspace: first + workspace.length };
    const counts = sharing.map((name) => byKeys(name) ? problem.kvHeads : problem.heads);
    const options: PackedHeads = {
      source: matrices.buffer,
      separate: matrices.headStride > matrices.rowStride,
      n: problem.n,
      heads: counts.reduce((sum, count) => sum + count, 0),
      rows: byKeys(name) ? problem.keys : problem.queries,
      vectors: matrices.columns / 4,
    };
    packs.push(packHeads(options, packed));
    workspace.push(packedHeadsBytes(options));
    let next = 0;
    for (const [i, name] of sharing.entries()) {
      places.set(name, { heads: options, packed, first: next });
      next += counts[i]!;
    }
  }
  return { heads, places, packs, workspace };
}

function byKeys(name: MatrixName): boolean {
  return name === "k" || name === "v";
}

/** Returns the kernels of a pass, one for each sample and its parts. */
function passKernels(problem: AttentionProblem, pass: AttentionPass, division: Division): KernelSpec[] {
  const { n, heads, kvHeads } = problem;
  let made: PassBody | undefined;
  const body = () => made ??= passBody(problem, pass);
  return Array.from({ length: n * heads / division.heads }, (_, i) => {
    const parts = heads / division.heads;
    const [sample, part] = [Math.floor(i / parts), i % parts];
    const first = (keys: boolean) => part * division.heads / (keys ? heads / kvHeads : 1);
    return passKernel({ problem, pass, division, body, sample, first });
  });
}

interface DispatchOptions {
  readonly problem: AttentionProblem;
  readonly pass: AttentionPass;
  readonly division: Division;
  /** Returns the WGSL, which all kernels of a pass share. */
  readonly body: () => PassBody;
  readonly sample: number;
  /** Returns the first head of queries, or of keys. */
  readonly first: (keys: boolean) => number;
}

function passKernel({ problem, pass, division, body, sample, first }: DispatchOptions): KernelSpec {
  const { queries, keys, heads, kvHeads, pairs } = problem;
  const group = heads / kvHeads;
  const read = readBy(pass);
  const code = passCode(problem, pass, read);
  const byQueries = pass.own === "queries";
  const planes = division.heads / (byQueries ? 1 : group);
  const blocks = Math.ceil((byQueries ? queries : keys) / ownRows(problem));
  const place = (name: MatrixName) => division.places.get(name)!;
  const stride = (name: MatrixName) => headStride(place(name).heads);
  const sizes = [...new Set(pass.sums.map(({ target }) => 4 * vectorsOf(problem, target)))].join("-");
  const windows = read.map((name) => {
    const { packed, heads } = place(name);
    const count = division.heads / (byKeys(name) ? group : 1);
    const head = sample * heads.heads + place(name).first + first(byKeys(name));
    return {
      name,
      declaration: windowOf({ ref: packed, dtype: "f32" }, 16 * count * stride(name)),
      offset: 16 * head * stride(name),
    };
  });
  const pairWindow = pairs === undefined || byQueries ? [] : [{
    name: "pairs",
    declaration: windowOf({ ref: pairs, dtype: "f32" }, PAIR_BYTES * division.heads * pairStride(problem)),
    offset: PAIR_BYTES * (sample * heads + first(false)) * pairStride(problem),
  }];
  const { pairs_: _, ...written } = code.buffers;
  const all = [...windows, ...pairWindow];
  return defineKernel({
    name: `attention.${code.variant}.windows.${ownRows(problem)}x${VISITED}.${sizes}`,
    buffers: {
      ...Object.fromEntries(all.map(({ name, declaration }) => [name, declaration])),
      ...written,
      ...pass.name === "query_grad"
        ? {
          logarithms_: { ref: problem.logarithms, type: "f32", access: "read" },
          pairs_: { ref: pairs!, type: "vec2<f32>" },
        }
        : {},
    },
    uniforms: {
      ...code.uniforms,
      sample,
      firstHead: first(!byQueries),
      firstQueryHead: first(false),
      blocks,
      pairStride: pairStride(problem),
      ...Object.fromEntries(read.flatMap((name) => [
        [`${name}Stride`, stride(name)],
        [`${name}Vectors`, vectorsOf(problem, name)],
        [`${name}Last`, (byKeys(name) ? keys : queries) * vectorsOf(problem, name) - 1],
      ])),
      ...Object.fromEntries(pass.sums.map(({ target }) => [`${target}Vectors`, vectorsOf(problem, target)])),
    },
    slices: [Object.fromEntries(all.map(({ name, offset }) => [name, offset]))],
    workgroupSize: [SIMD_LANES],
    grid: [blocks * planes],
    prelude: () => body().prelude,
    body: () => body().code,
  });
}
