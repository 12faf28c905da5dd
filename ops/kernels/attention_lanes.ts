/**
 * Passes of tiled attention for software adapters. A lane owns four rows, the four numbers of every vector, so that the
 * softmax needs no other lane. A workgroup is one subgroup, whose lanes share the loads of the other side's rows
 * (`simd.ts`); without subgroups, every lane loads all of them. There are no barriers: a lane reads from workgroup
 * memory only what it wrote.
 *
 * @module
 */
import { InputError } from "../../runtime/core/errors.ts";
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
import { leastParts } from "./loop_limit.ts";
import { fromLane, hasSimd, SIMD_LANES } from "./simd.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Rows of the other side per tile. */
export interface LanesTile {
  readonly rows: 16 | 32;
}

const LANES = SIMD_LANES;
/** Own rows of a workgroup. */
const OWN = 4 * LANES;
/** Maximum columns of sums that a lane keeps, over all targets of a pass; wider rows are divided among workgroups. */
const MAX_COLUMNS = 128;

/**
 * Returns the kernel of a pass.
 *
 * @throws {InputError} if the sequence is so long that software adapters would end the loops early
 */
export function attentionLanes(
  problem: AttentionProblem,
  pass: AttentionPass,
  { rows: C }: LanesTile,
  traits: DeviceTraits,
): KernelSpec {
  const { n, heads, kvHeads, queries, keys, dropout } = problem;
  const code = passCode(problem, pass);
  const shared = hasSimd(traits);
  const byQueries = pass.own === "queries";
  if (leastParts(iterationsOf(problem, pass, C), traits) > 1) {
    throw new InputError(
      `Tiled attention between ${queries} queries and ${keys} keys takes too many iterations for a software adapter, ` +
        'whose loops end early; shorten the sequence, attend in a window, set compile.attention to "composed", or use a GPU',
    );
  }
  const vectors = pass.sums.map(({ target }) => vectorsOf(problem, target));
  const chunks = Math.max(...vectors.map((count) => Math.ceil(4 * count * pass.sums.length / MAX_COLUMNS)));
  /** Vectors of each target per workgroup. */
  const parts = vectors.map((count) => Math.ceil(count / chunks));
  const blocks = Math.ceil((byQueries ? queries : keys) / OWN);
  const planes = n * (byQueries ? heads : kvHeads);
  const total = blocks * planes * chunks;
  const acc = (sum: number, column: number) => `sum${sum}_${column}`;
  const columnsOf = (sum: number) => 4 * parts[sum]!;

  /** Adds the products of own rows and the tile's rows, and writes them to the tile. */
  const product = (index: number): string => {
    const { own, other } = pass.products[index]!;
    const loads = shared ? C / LANES : C;
    const rowOf = (i: number) => shared ? `${LANES * i}u + lix` : `${i}u`;
    const element = (row: number, j: number) =>
      shared ? fromLane(`a${Math.floor(row / LANES)}[${j}]`, row % LANES) : `a${row}[${j}]`;
    return `{
${unroll(loads, (i) => `let at${i} = ${other}_row(sample, otherHead, min(start + ${rowOf(i)}, lastOther));`)}
${unroll(C, (c) => `var s${c} = vec4<f32>();`)}
for (var k = 0u; k < u.vectors${index}; k++) {
${unroll(loads, (i) => `let a${i} = ${other}_load(at${i}, k);`)}
${unroll(4, (r) => `let o${r} = ${own}_load(${own}Row${r}, k);`)}
${
      unroll(4, (j) =>
        `{
let w = vec4<f32>(o0[${j}], o1[${j}], o2[${j}], o3[${j}]);
${unroll(C, (c) => `s${c} += ${element(c, j)} * w;`)}
}`)
    }
}
${unroll(C, (c) => `tile${index}[${c * LANES}u + lix] = s${c};`)}
}`;
  };

  /** Adds weighted rows of the tile to the sums. */
  const sum = (index: number): string => {
    const { weights, other } = pass.sums[index]!;
    const part = parts[index]!;
    const loads = shared ? Math.ceil(part / LANES) : part;
    const vectorOf = (i: number) => shared ? `${LANES * i}u + lix` : `${i}u`;
    const element = (k: number, j: number) =>
      shared ? fromLane(`a${Math.floor(k / LANES)}[${j}]`, k % LANES) : `a${k}[${j}]`;
    return `for (var c = 0u; c < count; c++) {
let at = ${other}_row(sample, otherHead, start + c);
${unroll(loads, (i) => `let a${i} = ${other}_load(at, min(first${index} + ${vectorOf(i)}, u.last${index}));`)}
let weight = tile${weights}[c * ${LANES}u + lix];
${unroll2(part, 4, (k, j) => `${acc(index, 4 * k + j)} += ${element(k, j)} * weight;`)}
}`;
  };

  const factor = (value: string) =>
    dropout === null
      ? value
      : `${value} * kept4(${byQueries ? "elements + start + c" : "(rowsFirst + start + c) * u.keys + own"})`;
  const inside = byQueries
    ? "(vec4<u32>(start + c) >= lowest) & (vec4<u32>(start + c) < highest)"
    : "(own >= vec4<u32>(low(start + c))) & (own < vec4<u32>(high(start + c)))";
  const at = `c * ${LANES}u + lix`;

  /** Writes sums, as many columns at once as the tile holds: unrolled stores take long to compile. */
  const write = (index: number): string => {
    const { target } = pass.sums[index]!;
    const columns = columnsOf(index);
    const value = [0, 1, 2, 3].map((j) => `tile0[(4u * k + ${j}u) * ${LANES}u + lix][r]`).join(", ");
    return unroll(Math.ceil(columns / C), (part) => {
      const width = Math.min(C, columns - part * C);
      return `${
        unroll(width, (c) =>
          `tile0[${c * LANES}u + lix] = ${acc(index, part * C + c)}${pass.name === "forward" ? " * share" : ""};`)
      }
{
let first = first${index} + ${part * C / 4}u;
let vectors = min(${width / 4}u, max(first, u.last${index} + 1u) - first);
for (var r = 0u; r < min(4u, max(own.x, lastOwn + 1u) - own.x); r++) {
  let place = ${target}_row(sample, ownHead, own.x + r);
  for (var k = 0u; k < vectors; k++) { ${target}_store(place, first + k, vec4<f32>(${value})); }
}
}`;
    });
  };
  const weights = pass.name === "forward"
    ? `var top = largest;
for (var c = 0u; c < count; c++) {
  let s = select(vec4<f32>(${LOWEST}), tile0[${at}] * u.scale, ${inside});
  tile0[${at}] = s;
  top = max(top, s);
}
// Rows without a key so far keep 0
let base = max(top, vec4<f32>(-3e38));
let rescale = exp(largest - base);
largest = top;
total *= rescale;
${unroll(columnsOf(0), (column) => `${acc(0, column)} *= rescale;`)}
for (var c = 0u; c < count; c++) {
  let p = exp(tile0[${at}] - base);
  total += p;
  tile0[${at}] = ${factor("p")};
}`
    : `for (var c = 0u; c < count; c++) {
  ${
      byQueries
        ? ""
        : "let row = pairs_[rowsFirst + start + c];\n  let logarithms = vec4<f32>(row.x);\n  let deltas = row.y;"
    }
  let p = select(vec4<f32>(), exp(tile0[${at}] * u.scale - logarithms), ${inside});
  ${dropout === null ? "let factors = 1.0;" : `let factors = ${factor("1.0")};`}
  ${pass.sums.some(({ weights }) => weights === 0) ? `tile0[${at}] = p * factors;` : ""}
  tile1[${at}] = p * (tile1[${at}] * factors - deltas) * u.scale;
}`;

  const ownMatrices = [...new Set(pass.products.map(({ own }) => own))];
  const kernelBody = `
let i = wid.y * grid.x + wid.x;
if (i >= u.total) { return; }
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
let own = ownFirst + lix * 4u + vec4<u32>(0u, 1u, 2u, 3u);
let bounded = min(own, vec4<u32>(lastOwn));
${
    ownMatrices.map((name) => unroll(4, (r) => `let ${name}Row${r} = ${name}_row(sample, ownHead, bounded[${r}]);`))
      .join("\n")
  }
${unroll(parts.length, (s) => `let first${s} = chunk * ${parts[s]}u;`)}
${parts.map((_, s) => unroll(columnsOf(s), (column) => `var ${acc(s, column)} = vec4<f32>();`)).join("\n")}
${
    byQueries
      ? `let otherHead = ownHead / u.group;
let rowsFirst = (sample * u.heads + ownHead) * u.queries;
${dropout === null ? "" : "let elements = (rowsFirst + bounded) * u.keys;"}
let highest = vec4<u32>(${each((lane) => `high(bounded.${lane})`)});
let lowest = vec4<u32>(${each((lane) => `low(bounded.${lane})`)});
${
        pass.name === "forward"
          ? `var largest = vec4<f32>(${LOWEST});\nvar total = vec4<f32>();`
          : unroll(4, (r) => `let row${r} = pairs_[rowsFirst + bounded[${r}]];`) + `
let logarithms = vec4<f32>(row0.x, row1.x, row2.x, row3.x);
let deltas = vec4<f32>(row0.y, row1.y, row2.y, row3.y);`
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
for (var start = begin; start < end; start += ${C}u) {
let count = min(end - start, ${C}u);
${unroll(pass.products.length, product)}
${weights}
${unroll(pass.sums.length, sum)}
}
}
${pass.name === "forward" ? "let share = 1.0 / total;" : ""}
${unroll(pass.sums.length, write)}
${
    pass.name === "forward"
      ? `if (chunk == 0u) {
let logarithms = largest + log(total);
${unroll(4, (r) => `if (own[${r}] <= lastOwn) { logarithms_[rowsFirst + own[${r}]] = logarithms[${r}]; }`)}
}`
      : ""
  }`;
  const [gx, gy] = linearGrid(total, 1, traits.maxWorkgroupsPerDimension);
  return defineKernel({
    name: `attention.${code.variant}.${shared ? "simd" : "lanes"}.${OWN}x${C}.${
      parts.map((part) => 4 * part).join("-")
    }`,
    buffers: code.buffers,
    uniforms: {
      ...code.uniforms,
      total,
      chunks,
      blocks,
      ...vectorCounts(problem, pass, vectors),
    },
    workgroupSize: [LANES],
    grid: [gx, gy],
    prelude: `${code.prelude}
${unroll(pass.products.length, (i) => `var<workgroup> tile${i}: array<vec4<f32>, ${C * LANES}>;`)}
${keptQuads(dropout)}`,
    body: kernelBody,
  });
}

/** Returns the iterations of an invocation, which goes over the other side's rows in tiles. */
function iterationsOf(problem: AttentionProblem, pass: AttentionPass, tile: number): number {
  const { heads, kvHeads, queries, keys, window } = problem;
  const byQueries = pass.own === "queries";
  const others = byQueries ? keys : queries;
  const rows = window === 0 ? others : Math.min(others, window + OWN);
  const products = pass.products.reduce((sum, { own }) => sum + vectorsOf(problem, own) + 1, 0);
  const overRows = (pass.name === "forward" ? 2 : 1) + pass.sums.length;
  const tiles = Math.ceil(rows / tile) * (byQueries ? 1 : heads / kvHeads);
  return tiles * (1 + products + overRows * (tile + 1));
}
