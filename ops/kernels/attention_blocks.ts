/**
 * Passes of tiled attention for GPUs. The invocations of a workgroup form a grid of `own` x `other` quads: each computes
 * 4 x 4 products in registers from slabs in workgroup memory, passes its weights on through workgroup memory, and keeps
 * four own rows of every `other`th vector of the sums.
 *
 * @module
 */
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import {
  type AttentionPass,
  type AttentionProblem,
  each,
  keptQuads,
  LOWEST,
  passCode,
  vectorCounts,
  vectorsOf,
} from "./attention_pass.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Quads of own rows and of the other side's rows per workgroup. */
export interface BlocksTile {
  readonly own: 8 | 16;
  readonly other: 8;
}

/** Vectors of four columns per slab of the products; a slab of the sums has four times as many rows. */
const SLAB = 2;
/** Maximum columns of sums per workgroup, over all targets of a pass; wider rows are divided among workgroups. */
const MAX_COLUMNS = 128;

/** Returns the bytes of workgroup memory of a pass. */
export function blocksBytes(problem: AttentionProblem, pass: AttentionPass, tile: BlocksTile): number {
  const { other, own } = tile;
  const size = slabType(problem, pass) === "f16" ? 2 : 4;
  return SLAB * 4 * slabWidth(problem, pass, tile) * 4 * size + weightsOf(pass).length * other * 4 * own * 16;
}

/**
 * Returns the type of numbers in slabs: f16 if all that is read is. With sums of two targets registers are short, and those
 * of the conversions would go to memory.
 */
function slabType(problem: AttentionProblem, { products, sums }: AttentionPass): "f16" | "f32" {
  const read = [...products.flatMap(({ own, other }) => [own, other]), ...sums.map(({ other }) => other)];
  return sums.length === 1 && read.every((name) => problem.matrices[name]?.buffer.dtype === "f16") ? "f16" : "f32";
}

/** Returns the quads of a slab's column, or of a row of the sums, whichever has more. */
function slabWidth(problem: AttentionProblem, pass: AttentionPass, tile: BlocksTile): number {
  return Math.max(tile.own + tile.other, Math.max(...division(problem, pass, tile).parts) * tile.other);
}

/** Returns the kinds of weights that the sums of a pass use. */
function weightsOf({ sums }: AttentionPass): (0 | 1)[] {
  return [...new Set(sums.map(({ weights }) => weights))];
}

/** Returns the vectors of each target, the number of workgroups that divide them, and the vectors per invocation. */
function division(problem: AttentionProblem, pass: AttentionPass, { other }: BlocksTile) {
  const vectors = pass.sums.map(({ target }) => vectorsOf(problem, target));
  const chunks = Math.max(...vectors.map((count) => Math.ceil(4 * count * pass.sums.length / MAX_COLUMNS)));
  return { vectors, chunks, parts: vectors.map((count) => Math.ceil(count / chunks / other)) };
}

/** Returns the kernel of a pass. */
export function attentionBlocks(
  problem: AttentionProblem,
  pass: AttentionPass,
  tile: BlocksTile,
  traits: DeviceTraits,
): KernelSpec {
  const { n, heads, kvHeads, queries, keys, dropout } = problem;
  const { own: Y, other: X } = tile;
  const [OWN, OTHER, THREADS] = [4 * Y, 4 * X, X * Y];
  const code = passCode(problem, pass);
  const byQueries = pass.own === "queries";
  const forward = pass.name === "forward";
  const { vectors, chunks, parts } = division(problem, pass, tile);
  const blocks = Math.ceil((byQueries ? queries : keys) / OWN);
  const total = blocks * n * (byQueries ? heads : kvHeads) * chunks;
  const acc = (sum: number, row: number, part: number) => `sum${sum}_${row}_${part}`;
  const type = slabType(problem, pass);
  const width = slabWidth(problem, pass, tile);
  const narrow = type === "f32" ? "" : type;

  /** Fills a slab with columns of `rows` rows of a matrix, from quad `first` on. */
  const fill = (matrix: string, head: string, start: string, last: string, rows: number, first: number) =>
    unroll(
      Math.ceil(rows * SLAB / THREADS),
      (i) =>
        `${rows * SLAB < (i + 1) * THREADS ? `if (lix + ${i * THREADS}u < ${rows * SLAB}u) ` : ""}{
  let e = lix + ${i * THREADS}u;
  let row = e / ${SLAB}u;
  let k = first + e % ${SLAB}u;
  let value = select(vec4<f32>(), ${matrix}_load(${matrix}_row(sample, ${head}, min(${start} + row, ${last})), min(k, last)), k <= last);
${unroll(4, (j) => `  slab[e % ${SLAB}u][${j}u][${first}u + row / 4u][row % 4u] = ${narrow}(value[${j}]);`)}
}`,
    );

  /** Returns four numbers of a slab as f32. */
  const quad = (column: string, place: string) =>
    `vec4<f32>(${
      [0, 1, 2, 3].map((j) => `${type === "f32" ? "" : "f32"}(slab${column}[${place}][${j}u])`).join(", ")
    })`;

  const product = (index: number): string => {
    const { own, other } = pass.products[index]!;
    return `${unroll(4, (r) => `var product${index}_${r} = vec4<f32>();`)}
{
let last = u.vectors${index} - 1u;
for (var first = 0u; first < u.vectors${index}; first += ${SLAB}u) {
workgroupBarrier();
${fill(own, "ownHead", "ownFirst", "lastOwn", OWN, 0)}
${fill(other, "otherHead", "start", "lastOther", OTHER, Y)}
workgroupBarrier();
for (var vector = 0u; vector < min(${SLAB}u, u.vectors${index} - first); vector++) {
${
      unroll(4, (j) =>
        `{
let a = ${quad(`[vector][${j}u]`, "ty")};
let b = ${quad(`[vector][${j}u]`, `${Y}u + tx`)};
${unroll(4, (r) => `product${index}_${r} += a[${r}] * b;`)}
}`)
    }
}
}
}`;
  };

  const sum = (index: number): string => {
    const { weights, other } = pass.sums[index]!;
    const part = parts[index]!;
    const across = part * X;
    return `for (var first = 0u; first < count; first += ${4 * SLAB}u) {
workgroupBarrier();
for (var e = lix; e < ${4 * SLAB * across}u; e += ${THREADS}u) {
  let c = e / ${across}u;
  let row = min(start + first + c, lastOther);
  let value = ${other}_load(${other}_row(sample, otherHead, row), min(first${index} + e % ${across}u, u.last${index}));
${unroll(4, (j) => `  slab[c / 4u][c % 4u][e % ${across}u][${j}u] = ${narrow}(value[${j}]);`)}
}
workgroupBarrier();
// The weights of rows past the end are 0
for (var c = 0u; c < ${SLAB}u; c++) {
${
      unroll(4, (j) =>
        `{
let weight = tile${weights}[first / 4u + c][${j}u][ty];
${unroll(part, (v) => `let b${v} = ${quad(`[c][${j}u]`, `tx + ${v * X}u`)};`)}
${unroll2(4, part, (r, v) => `${acc(index, r, v)} += weight[${r}] * b${v};`)}
}`)
    }
}
}`;
  };

  const inside = (r: number) =>
    byQueries
      ? `(other >= vec4<u32>(lowest[${r}])) & (other < vec4<u32>(highest[${r}]))`
      : `(vec4<u32>(own[${r}]) >= lowest) & (vec4<u32>(own[${r}]) < highest) & (other < vec4<u32>(end))`;
  const factors = (r: number) =>
    dropout === null
      ? ""
      : `let factors${r} = kept4(${
        byQueries ? `elements[${r}] + other` : `(rowsFirst + other) * u.keys + own[${r}]`
      });`;
  const dropped = (r: number) => dropout === null ? "" : ` * factors${r}`;
  const share = (tile: number, value: string) =>
    unroll(
      4,
      (j) => `tile${tile}[tx][${j}u][ty] = vec4<f32>(${[0, 1, 2, 3].map((r) => `${value}${r}[${j}]`).join(", ")});`,
    );
  const weights = forward
    ? `${unroll(4, (r) => `let s${r} = select(vec4<f32>(${LOWEST}), product0_${r} * u.scale, ${inside(r)});`)}
var top = max(largest, vec4<f32>(${[0, 1, 2, 3].map((r) => `maxOf(s${r})`).join(", ")}));
tile0[tx][0u][ty] = top;
workgroupBarrier();
${unroll(X, (x) => `top = max(top, tile0[${x}u][0u][ty]);`)}
workgroupBarrier();
// Rows without a key so far keep 0
let base = max(top, vec4<f32>(-3e38));
let rescale = exp(largest - base);
largest = top;
${unroll(4, (r) => `let p${r} = exp(s${r} - base[${r}]);`)}
total = total * rescale + vec4<f32>(${[0, 1, 2, 3].map((r) => `sumOf(p${r})`).join(", ")});
${unroll2(4, parts[0]!, (r, v) => `${acc(0, r, v)} *= rescale[${r}];`)}
${unroll(4, (r) => `${factors(r)}\nlet w${r} = p${r}${dropped(r)};`)}
${share(0, "w")}`
    : `${
      byQueries ? "" : unroll(4, (j) => `let pair${j} = pairs_[rowsFirst + min(other[${j}], lastOther)];`) + `
let logarithms = vec4<f32>(pair0.x, pair1.x, pair2.x, pair3.x);
let deltas = vec4<f32>(pair0.y, pair1.y, pair2.y, pair3.y);
let lowest = vec4<u32>(${each((lane) => `low(other.${lane})`)});
let highest = vec4<u32>(${each((lane) => `high(other.${lane})`)});`
    }
${
      unroll(4, (r) => {
        const [logarithm, delta] = byQueries ? [`pair${r}.x`, `pair${r}.y`] : ["logarithms", "deltas"];
        return `let p${r} = select(vec4<f32>(), exp(product0_${r} * u.scale - ${logarithm}), ${inside(r)});
${factors(r)}
let w${r} = p${r}${dropped(r)};
let d${r} = p${r} * (product1_${r}${dropped(r)} - ${delta}) * u.scale;`;
      })
    }
${weightsOf(pass).map((kind) => share(kind, kind === 0 ? "w" : "d")).join("\n")}`;

  const [gx, gy] = linearGrid(total, 1, traits.maxWorkgroupsPerDimension);
  return defineKernel({
    name: `attention.${code.variant}.blocks.${OWN}x${OTHER}.${parts.map((part) => 4 * part * X).join("-")}`,
    buffers: code.buffers,
    uniforms: {
      ...code.uniforms,
      total,
      chunks,
      blocks,
      ...vectorCounts(problem, pass, vectors),
    },
    workgroupSize: [THREADS],
    grid: [gx, gy],
    prelude: `${code.prelude}
var<workgroup> slab: array<array<array<array<${type}, 4>, ${width}>, 4>, ${SLAB}>;
${
      weightsOf(pass).map((kind) => `var<workgroup> tile${kind}: array<array<array<vec4<f32>, ${Y}>, 4>, ${X}>;`).join(
        "\n",
      )
    }
${
      forward
        ? `fn maxOf(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }
fn sumOf(v: vec4<f32>) -> f32 { return (v.x + v.y) + (v.z + v.w); }`
        : ""
    }
${keptQuads(dropout)}`,
    body: `
let i = wid.y * grid.x + wid.x;
if (i >= u.total) { return; }
let ty = lix % ${Y}u;
let tx = lix / ${Y}u;
let chunk = i % u.chunks;
let plane = i / u.chunks / u.blocks;
// With a causal mask, the last queries and the first keys take longest
let block = ${byQueries ? "u.blocks - 1u - i / u.chunks % u.blocks" : "i / u.chunks % u.blocks"};
let sample = plane / ${byQueries ? "u.heads" : "u.kvHeads"};
let ownHead = plane % ${byQueries ? "u.heads" : "u.kvHeads"};
let lastOwn = ${byQueries ? "u.queries" : "u.keys"} - 1u;
let lastOther = ${byQueries ? "u.keys" : "u.queries"} - 1u;
let ownFirst = block * ${OWN}u;
let ownLast = min(ownFirst + ${OWN - 1}u, lastOwn);
let own = ownFirst + ty * 4u + vec4<u32>(0u, 1u, 2u, 3u);
let bounded = min(own, vec4<u32>(lastOwn));
${unroll(parts.length, (s) => `let first${s} = chunk * ${parts[s]! * X}u;`)}
${parts.map((part, s) => unroll2(4, part, (r, v) => `var ${acc(s, r, v)} = vec4<f32>();`)).join("\n")}
${
      byQueries
        ? `let otherHead = ownHead / u.group;
let rowsFirst = (sample * u.heads + ownHead) * u.queries;
${dropout === null ? "" : "let elements = (rowsFirst + bounded) * u.keys;"}
let highest = vec4<u32>(${each((lane) => `high(bounded.${lane})`)});
let lowest = vec4<u32>(${each((lane) => `low(bounded.${lane})`)});
${
          forward
            ? `var largest = vec4<f32>(${LOWEST});\nvar total = vec4<f32>();`
            : unroll(4, (r) => `let pair${r} = pairs_[rowsFirst + bounded[${r}]];`)
        }
let begin = low(ownFirst);
let end = high(ownLast);
{`
        : `let begin = min(max(ownFirst + 1u, u.visible) - u.visible, u.queries);
// Queries after the last key attend to the same keys as that of its position
let end = select(min(ownLast + u.window, u.queries), u.queries, ownLast + u.window >= u.keys);
for (var otherHead = ownHead * u.group; otherHead < (ownHead + 1u) * u.group; otherHead++) {
let rowsFirst = (sample * u.heads + otherHead) * u.queries;`
    }
for (var start = begin; start < end; start += ${OTHER}u) {
let count = min(end - start, ${OTHER}u);
let other = start + tx * 4u + vec4<u32>(0u, 1u, 2u, 3u);
${unroll(pass.products.length, product)}
${weights}
${unroll(pass.sums.length, sum)}
}
}
${
      forward
        ? `workgroupBarrier();
tile0[tx][0u][ty] = total;
workgroupBarrier();
total = vec4<f32>();
${unroll(X, (x) => `total += tile0[${x}u][0u][ty];`)}
let share = 1.0 / total;
if (chunk == 0u && tx == 0u) {
let logarithms = largest + log(total);
${unroll(4, (r) => `if (own[${r}] <= lastOwn) { logarithms_[rowsFirst + own[${r}]] = logarithms[${r}]; }`)}
}`
        : ""
    }
${
      pass.sums.map(({ target }, s) =>
        unroll(4, (r) =>
          `if (own[${r}] <= lastOwn) {
let place = ${target}_row(sample, ownHead, own[${r}]);
${
            unroll(parts[s]!, (v) =>
              `if (first${s} + tx + ${v * X}u <= u.last${s}) {
  ${target}_store(place, first${s} + tx + ${v * X}u, ${acc(s, r, v)}${forward ? ` * share[${r}]` : ""});
}`)
          }
}`)
      ).join("\n")
    }`,
  });
}
