/**
 * WGSL of the passes of tiled attention that read windows of packed heads as uniforms (`attention_windows.ts`). A lane
 * keeps its own rows, their sums and their weights in registers, and visits a few of the other side's rows at a time,
 * whose loads a subgroup shares (`simd.ts`).
 *
 * @module
 */
import {
  type AttentionPass,
  type AttentionProblem,
  LOWEST,
  type MatrixName,
  passCode,
  vectorsOf,
} from "./attention_pass.ts";
import { fromLane, SIMD_LANES } from "./simd.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { windowReader } from "./windows.ts";

/** Rows of the other side that a lane visits at a time. */
export const VISITED = 4;
/** Maximum numbers of own rows of a matrix that a lane keeps. */
export const MOST_NUMBERS = 128;

/** Own and other matrices that a pass reads. The gradient of the queries reads y for the deltas, too. */
export function readBy({ name, products, sums }: AttentionPass): MatrixName[] {
  const read = [...products.flatMap(({ own, other }) => [own, other]), ...sums.map(({ other }) => other)];
  return [...new Set([...read, ...(name === "query_grad" ? ["y" as const] : [])])];
}

/** WGSL of a pass. */
export interface PassBody {
  readonly prelude: string;
  readonly code: string;
}

/** Returns the own rows of a lane. */
function rowsPerLane(problem: AttentionProblem): 1 | 2 | 4 {
  const columns = 4 * Math.max(vectorsOf(problem, "q"), vectorsOf(problem, "v"));
  return columns > MOST_NUMBERS / 2 ? 1 : columns > MOST_NUMBERS / 4 ? 2 : 4;
}

/** Returns the own rows of a workgroup. */
export function ownRows(problem: AttentionProblem): number {
  return SIMD_LANES * rowsPerLane(problem);
}

/** Returns the WGSL of a pass. */
export function passBody(problem: AttentionProblem, pass: AttentionPass): PassBody {
  const { dropout } = problem;
  const [L, C, R] = [SIMD_LANES, VISITED, rowsPerLane(problem)];
  const read = readBy(pass);
  const code = passCode(problem, pass, read);
  const byQueries = pass.own === "queries";
  const forward = pass.name === "forward";
  const [T, U] = R === 1 ? ["f32", "u32"] : [`vec${R}<f32>`, `vec${R}<u32>`];
  /** A number or vector of values for each own row. */
  const rows = (value: (r: number) => string) => `${T}(${Array.from({ length: R }, (_, r) => value(r)).join(", ")})`;
  const rowsU = (value: (r: number) => string) => `${U}(${Array.from({ length: R }, (_, r) => value(r)).join(", ")})`;
  const row = (name: string, r: number) => R === 1 ? name : `${name}[${r}]`;
  const columns = (name: MatrixName) => 4 * vectorsOf(problem, name);
  const vectors = (name: MatrixName) => vectorsOf(problem, name);
  const owned = [...new Set(pass.products.map(({ own }) => own))];
  const others = read.filter((name) => !owned.includes(name) && name !== "y");

  /** Loads own rows, four columns at a time: what is loaded moves on to its registers, as unrolled loads compile long. */
  const loadOwn = (name: MatrixName): string => {
    const withDelta = pass.name === "query_grad" && name === "dy";
    const count = columns(name);
    return `${unroll(count, (f) => `var ${name}${f} = ${T}();`)}
${withDelta ? unroll(R, (r) => `var delta${r} = vec4<f32>();`) : ""}
for (var k = 0u; k < u.${name}Vectors; k++) {
${
      unroll(R, (r) =>
        `let own${r} = ${name}At(ownPlane * u.${name}Stride + ${row("bounded", r)} * ${vectors(name)}u + k);
${withDelta ? `delta${r} += own${r} * yAt(ownPlane * u.yStride + ${row("bounded", r)} * ${vectors("y")}u + k);` : ""}`)
    }
${unroll(count - 4, (f) => `${name}${f} = ${name}${f + 4};`)}
${unroll(4, (j) => `${name}${count - 4 + j} = ${rows((r) => `own${r}[${j}]`)};`)}
}`;
  };

  /** Loads the visited rows of a matrix, each lane a part of them. */
  const loadOther = (name: MatrixName): string =>
    unroll(
      Math.ceil(C * vectors(name) / L),
      (i) =>
        `let ${name}Part${i} = ${name}At(otherPlane * u.${name}Stride + min(start * ${vectors(name)}u + ${
          L * i
        }u + lix, u.${name}Last));`,
    );
  const element = (name: MatrixName, c: number, column: number): string => {
    const vector = c * vectors(name) + (column >> 2);
    return fromLane(`${name}Part${Math.floor(vector / L)}[${column & 3}]`, vector % L);
  };

  const product = (index: number): string => {
    const { own, other } = pass.products[index]!;
    const count = columns(own);
    const name = (c: number) => `product${index}_${c}`;
    // Two rows at a time: their sums fit into the processor's registers
    return `${unroll(C, (c) => `var ${name(c)} = ${T}();`)}
${
      unroll2(C / 2, count, (pair, f) =>
        unroll(2, (i) =>
          `${name(2 * pair + i)} += ${element(other, 2 * pair + i, f)} * ${own}${f};`))
    }`;
  };
  const acc = (sum: number, column: number) => `sum${sum}_${column}`;
  const sum = (index: number): string => {
    const { weights, other } = pass.sums[index]!;
    const weight = weights === 0 ? "w" : "d";
    return unroll(columns(other), (column) => {
      const first = forward ? `${acc(index, column)} * rescale` : acc(index, column);
      let value = first;
      for (let c = 0; c < C; c++) value = `(${value} + ${element(other, c, column)} * ${weight}${c})`;
      return `${acc(index, column)} = ${value};`;
    });
  };

  const inside = (c: number) =>
    byQueries
      ? `(${U}(start + ${c}u) >= lowest) & (${U}(start + ${c}u) < highest)`
      : `(own >= ${U}(low(start + ${c}u))) & (own < ${U}(high(start + ${c}u))) & (${U}(start + ${c}u) < ${U}(end))`;
  const factors = (c: number) =>
    dropout === null
      ? ""
      : `let factors${c} = keptRows(${
        byQueries ? `elements + ${c}u + start` : `own + (rowsFirst + start + ${c}u) * u.keys`
      });`;
  const dropped = (c: number) => dropout === null ? "" : ` * factors${c}`;
  const weights = forward
    ? `${unroll(C, (c) => `let s${c} = select(${T}(${LOWEST}), product0_${c} * u.scale, ${inside(c)});`)}
let top = max(${[0, 1, 2, 3].map((c) => `s${c}`).reduce((a, b) => `max(${a}, ${b})`)}, largest);
// Rows without a key so far keep 0
let base = max(top, ${T}(-3e38));
let rescale = exp(largest - base);
largest = top;
${unroll(C, (c) => `let p${c} = exp(s${c} - base);`)}
total = total * rescale + ((p0 + p1) + (p2 + p3));
${unroll(C, (c) => `${factors(c)}\nlet w${c} = p${c}${dropped(c)};`)}`
    : `${
      byQueries ? "" : `let pairPart = pairsAt((otherPlane * u.pairStride + start) / 2u + lix % ${C / 2}u);
${
        unroll(C, (c) =>
          `let logarithms${c} = ${T}(${fromLane(`pairPart[${2 * (c & 1)}]`, c >> 1)});
let deltas${c} = ${T}(${fromLane(`pairPart[${2 * (c & 1) + 1}]`, c >> 1)});`)
      }`
    }
${
      unroll(C, (c) => {
        const [logarithms, deltas] = byQueries ? ["logarithms", "deltas"] : [`logarithms${c}`, `deltas${c}`];
        return `let p${c} = select(${T}(), exp(product0_${c} * u.scale - ${logarithms}), ${inside(c)});
${factors(c)}
let w${c} = p${c}${dropped(c)};
let d${c} = p${c} * (product1_${c}${dropped(c)} - ${deltas}) * u.scale;`;
      })
    }`;

  const write = ({ target }: AttentionPass["sums"][number], index: number): string => {
    const count = columns(target);
    return `for (var k = 0u; k < u.${target}Vectors; k++) {
${
      unroll(R, (r) =>
        `if (${row("own", r)} <= lastOwn) {
  ${target}_store(${target}_row(u.sample, ownHead, ${row("own", r)}), k, vec4<f32>(${
          [0, 1, 2, 3].map((j) => row(acc(index, j), r)).join(", ")
        })${forward ? ` * ${row("share", r)}` : ""});
}`)
    }
${unroll(count - 4, (f) => `${acc(index, f)} = ${acc(index, f + 4)};`)}
}`;
  };

  const setUp = byQueries
    ? `let otherPlane = ownPlane / u.group;
let rowsFirst = (u.sample * u.heads + ownHead) * u.queries;
${dropout === null ? "" : "let elements = (rowsFirst + bounded) * u.keys;"}
let highest = ${rowsU((r) => `high(${row("bounded", r)})`)};
let lowest = ${rowsU((r) => `low(${row("bounded", r)})`)};
${
      forward
        ? `var largest = ${T}(${LOWEST});\nvar total = ${T}();`
        : `let logarithms = ${rows((r) => `logarithms_[rowsFirst + ${row("bounded", r)}]`)};
let deltas = ${rows((r) => `(delta${r}.x + delta${r}.y) + (delta${r}.z + delta${r}.w)`)};
${
          unroll(R, (r) =>
            `if (${row("own", r)} <= lastOwn) {
  pairs_[(u.sample * u.heads + ownHead) * u.pairStride + ${row("own", r)}] = vec2<f32>(${row("logarithms", r)}, ${
              row("deltas", r)
            });
}`)
        }`
    }
let begin = low(ownFirst) / ${C}u * ${C}u;
let end = high(ownLast);
{`
    : `let begin = (min(max(ownFirst + 1u, u.visible) - u.visible, u.queries)) / ${C}u * ${C}u;
// Queries after the last key attend to the same keys as that of its position
let end = select(min(ownLast + u.window, u.queries), u.queries, ownLast + u.window >= u.keys);
for (var otherPlane = ownPlane * u.group; otherPlane < (ownPlane + 1u) * u.group; otherPlane++) {
let rowsFirst = (u.sample * u.heads + u.firstQueryHead + otherPlane) * u.queries;`;
  return {
    prelude: `${code.prelude}
${read.map((name) => windowReader(name, "f32", 4)).join("\n")}
${byQueries ? "" : windowReader("pairs", "f32", 4)}
${dropout === null ? "" : `fn keptRows(e: ${U}) -> ${T} { return ${rows((r) => `kept(${row("e", r)})`)}; }`}`,
    code: `
let ownPlane = wid.x / u.blocks;
// With a causal mask, the last queries and the first keys take longest
let block = ${byQueries ? "u.blocks - 1u - wid.x % u.blocks" : "wid.x % u.blocks"};
let ownHead = u.firstHead + ownPlane;
let lastOwn = ${byQueries ? "u.queries" : "u.keys"} - 1u;
let ownFirst = block * ${L * R}u;
let ownLast = min(ownFirst + ${L * R - 1}u, lastOwn);
let own = ownFirst + lix * ${R}u + ${rowsU((r) => `${r}u`)};
let bounded = min(own, ${U}(lastOwn));
${owned.map(loadOwn).join("\n")}
${pass.sums.map(({ other }, s) => unroll(columns(other), (column) => `var ${acc(s, column)} = ${T}();`)).join("\n")}
${setUp}
for (var start = begin; start < end; start += ${C}u) {
${others.map(loadOther).join("\n")}
${unroll(pass.products.length, product)}
${weights}
${unroll(pass.sums.length, sum)}
}
}
${forward ? "let share = 1.0 / total;" : ""}
${pass.sums.map(write).join("\n")}
${
      forward
        ? `let logarithms = largest + log(total);
${
          unroll(R, (r) =>
            `if (${row("own", r)} <= lastOwn) { logarithms_[rowsFirst + ${row("own", r)}] = ${row("logarithms", r)}; }`)
        }`
        : ""
    }`,
  };
}
