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

/** Vectors of four columns per slab of the products. */
const SLAB = 4;
/** Rows per slab of the sums. */
const SLAB_ROWS = 8;
/** Maximum columns of sums per workgroup, over all targets of a pass; wider rows are divided among workgroups. */
const MAX_COLUMNS = 128;

/** Returns the bytes of workgroup memory of a pass. */
export function blocksBytes(problem: AttentionProblem, pass: AttentionPass, tile: BlocksTile): number {
  const { parts } = division(problem, pass, tile);
  const products = 4 * SLAB * (4 * tile.own + 4 * tile.other) * 4;
  const weights = weightsOf(pass).length * 4 * tile.other * tile.own * 16;
  const sums = SLAB_ROWS * Math.max(...parts) * tile.other * 16;
  return products + weights + sums + (pass.name === "forward" ? tile.own * tile.other * 16 : 0);
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
  const width = Math.max(...parts) * X;

  /** Fills a slab with columns of `rows` rows of a matrix, the columns outermost. */
  const fill = (slab: string, matrix: string, head: string, first: string, last: string, rows: number) =>
    unroll(Math.ceil(rows * SLAB / THREADS), (i) =>
      `{
  let e = lix + ${i * THREADS}u;
  let row = e / ${SLAB}u;
  let k = slab + e % ${SLAB}u;
  let value = select(vec4<f32>(), ${matrix}_load(${matrix}_row(sample, ${head}, min(${first} + row, ${last})), min(k, last)), k <= last);
${unroll(4, (j) => `  ${slab}[(e % ${SLAB}u * 4u + ${j}u) * ${rows}u + row] = value[${j}];`)}
}`);

  const product = (index: number): string => {
    const { own, other } = pass.products[index]!;
    const quad = (slab: string, place: string) =>
      `vec4<f32>(${[0, 1, 2, 3].map((j) => `${slab}[${place} + ${j}u]`).join(", ")})`;
    return `${unroll(4, (r) => `var product${index}_${r} = vec4<f32>();`)}
{
let last = u.vectors${index} - 1u;
for (var slab = 0u; slab < u.vectors${index}; slab += ${SLAB}u) {
workgroupBarrier();
${fill("ownSlab", own, "ownHead", "ownFirst", "lastOwn", OWN)}
${fill("otherSlab", other, "otherHead", "start", "lastOther", OTHER)}
workgroupBarrier();
for (var vector = 0u; vector < min(${SLAB}u, u.vectors${index} - slab); vector++) {
${
      unroll(4, (j) =>
        `{
let column = vector * 4u + ${j}u;
let a = ${quad("ownSlab", `column * ${OWN}u + ty * 4u`)};
let b = ${quad("otherSlab", `column * ${OTHER}u + tx * 4u`)};
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
    return `for (var slab = 0u; slab < count; slab += ${SLAB_ROWS}u) {
workgroupBarrier();
for (var e = lix; e < ${SLAB_ROWS * part * X}u; e += ${THREADS}u) {
  let row = min(start + slab + e / ${part * X}u, lastOther);
  rowSlab[e] = ${other}_load(${other}_row(sample, otherHead, row), min(first${index} + e % ${
      part * X
    }u, u.last${index}));
}
workgroupBarrier();
for (var c = 0u; c < min(${SLAB_ROWS}u, count - slab); c++) {
let weight = tile${weights}[(slab + c) * ${Y}u + ty];
${unroll(part, (v) => `let b${v} = rowSlab[c * ${part * X}u + tx + ${v * X}u];`)}
${unroll2(4, part, (r, v) => `${acc(index, r, v)} += weight[${r}] * b${v};`)}
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
      (j) =>
        `tile${tile}[(tx * 4u + ${j}u) * ${Y}u + ty] = vec4<f32>(${
          [0, 1, 2, 3].map((r) => `${value}${r}[${j}]`).join(", ")
        });`,
    );
  const weights = forward
    ? `${unroll(4, (r) => `let s${r} = select(vec4<f32>(${LOWEST}), product0_${r} * u.scale, ${inside(r)});`)}
var top = max(largest, vec4<f32>(${[0, 1, 2, 3].map((r) => `maxOf(s${r})`).join(", ")}));
shared_[tx * ${Y}u + ty] = top;
workgroupBarrier();
${unroll(X, (x) => `top = max(top, shared_[${x * Y}u + ty]);`)}
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
var<workgroup> ownSlab: array<f32, ${4 * SLAB * OWN}>;
var<workgroup> otherSlab: array<f32, ${4 * SLAB * OTHER}>;
var<workgroup> rowSlab: array<vec4<f32>, ${SLAB_ROWS * width}>;
${weightsOf(pass).map((kind) => `var<workgroup> tile${kind}: array<vec4<f32>, ${OTHER * Y}>;`).join("\n")}
${
      forward
        ? `var<workgroup> shared_: array<vec4<f32>, ${THREADS}>;
fn maxOf(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }
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
shared_[tx * ${Y}u + ty] = total;
workgroupBarrier();
total = vec4<f32>();
${unroll(X, (x) => `total += shared_[${x * Y}u + ty];`)}
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
