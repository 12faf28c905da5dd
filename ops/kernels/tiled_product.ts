/**
 * The matrix product of GPUs, C[row][column] = sum over k of A(row, k) B(k, column): a workgroup of 16 x 16 invocations
 * brings slabs of 16 k of both factors into workgroup memory, and every invocation sums `rowParts * columnParts` blocks of
 * 4 x 4 in registers. What A, B and C are is up to the caller: matrices, or images that a convolution gathers from.
 *
 * @module
 */
import { defineKernel, type KernelOptions, type KernelSpec } from "../../runtime/device/kernel.ts";
import { unroll, unroll2 } from "./unroll.ts";

const SIDE = 16;

/** A factor, read four neighbours of its outer dimension (rows of A, columns of B) at a time. */
export interface TiledFactor {
  /** In what neighbouring invocations differ: what lies contiguous in memory. */
  readonly along: "k" | "outer";
  /** Statements at the start, for the part `i` of the tile whose first row or column is `outer`. */
  setup(i: number, outer: string): string;
  /** Statements before the loads of a slab, in which `k` is valid. */
  slab(k: string): string;
  /** Part `i` at `k` as `vec4<f32>`. */
  load(i: number, k: string): string;
}

export interface TiledProductOptions {
  readonly name: string;
  readonly buffers: KernelOptions["buffers"];
  readonly uniforms: NonNullable<KernelOptions["uniforms"]>;
  /** Functions that the factors call. */
  readonly functions?: string;
  readonly a: TiledFactor;
  readonly b: TiledFactor;
  /** Blocks of four rows of an invocation. */
  readonly rowParts: 1 | 2;
  /** Blocks of four columns of an invocation. */
  readonly columnParts: 1 | 2;
  /** Statements that declare `begin` and `end` of the sum, the same for the whole workgroup, from `wid.z`. */
  readonly range: string;
  /** What the columns `column` .. `column + 3` start with, as `vec4<f32>`. */
  initial(column: string): string;
  /** Statements that write four columns of a row, with guards. */
  store(row: string, column: string, value: string): string;
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/** Rows or columns of a workgroup's tile. */
export function tileExtent(parts: 1 | 2): number {
  return SIDE * 4 * parts;
}

export function tiledProduct(options: TiledProductOptions): KernelSpec {
  const { a, b, rowParts: R, columnParts: C } = options;
  const fetch = (name: "A" | "B", factor: TiledFactor, parts: number) =>
    `{
    let k = min(slab + k${name}, end - 1u);
    let inside = slab + k${name} < end;
${factor.slab("k")}
${
      unroll(parts, (i) =>
        `    tile${name}[k${name} * ${SIDE * parts}u + ${SIDE * i}u + v${name}] = select(vec4<f32>(), ${
          factor.load(i, "k")
        }, inside);`)
    }
  }`;
  const place = (name: "A" | "B", factor: TiledFactor) =>
    factor.along === "k"
      ? `let k${name} = lix % ${SIDE}u;\nlet v${name} = lix / ${SIDE}u;`
      : `let k${name} = lix / ${SIDE}u;\nlet v${name} = lix % ${SIDE}u;`;
  return defineKernel({
    name: `${options.name}.tiled.${tileExtent(R)}x${tileExtent(C)}`,
    buffers: options.buffers,
    uniforms: options.uniforms,
    prelude: `var<workgroup> tileA: array<vec4<f32>, ${SIDE * SIDE * R}>;
var<workgroup> tileB: array<vec4<f32>, ${SIDE * SIDE * C}>;
${options.functions ?? ""}`,
    workgroupSize: [SIDE * SIDE],
    grid: [Math.ceil(options.columns / tileExtent(C)), Math.ceil(options.rows / tileExtent(R)), options.depth],
    body: `
${options.range}
let tileRow = wid.y * ${tileExtent(R)}u;
let tileColumn = wid.x * ${tileExtent(C)}u;
${place("A", a)}
${place("B", b)}
${unroll(R, (i) => a.setup(i, `(tileRow + (${SIDE * i}u + vA) * 4u)`))}
${unroll(C, (i) => b.setup(i, `(tileColumn + (${SIDE * i}u + vB) * 4u)`))}
let ty = lix / ${SIDE}u;
let tx = lix % ${SIDE}u;
${unroll(C, (c) => `let column${c} = tileColumn + (${SIDE * c}u + tx) * 4u;`)}
${unroll(C, (c) => `let initial${c} = ${options.initial(`column${c}`)};`)}
${unroll2(4 * R, C, (r, c) => `var sum${r}_${c} = initial${c};`)}
for (var slab = begin; slab < end; slab += ${SIDE}u) {
  ${fetch("A", a, R)}
  ${fetch("B", b, C)}
  workgroupBarrier();
  for (var k = 0u; k < ${SIDE}u; k++) {
${unroll(R, (i) => `    let a${i} = tileA[k * ${SIDE * R}u + ${SIDE * i}u + ty];`)}
${unroll(C, (i) => `    let b${i} = tileB[k * ${SIDE * C}u + ${SIDE * i}u + tx];`)}
${unroll2(4 * R, C, (r, c) => `    sum${r}_${c} += a${r >> 2}[${r & 3}] * b${c};`)}
  }
  workgroupBarrier();
}
${
      unroll(4 * R, (r) =>
        `{
  let row = tileRow + (${SIDE * (r >> 2)}u + ty) * 4u + ${r & 3}u;
${unroll(C, (c) => options.store("row", `column${c}`, `sum${r}_${c}`))}
}`)
    }`,
  });
}
