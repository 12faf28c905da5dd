/**
 * Kernels that read the rows of a matrix `[n, width]`, compute numbers of each row, and write rows. They read a row once for
 * each pass over it. A row belongs to a workgroup on GPUs, and to one lane on software adapters unless it is too long for a
 * lane (`loop_limit.ts`).
 *
 * @module
 */

import {
  type BufferDeclaration,
  type BufferRef,
  defineKernel,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import { elementType, type FloatBuffer, load, store, vectorWidth } from "./access.ts";
import { inPairs } from "./elements.ts";
import { HIDDEN_ZERO, PACK_F16, PACK_UNIT_F16, UNPACK_F16 } from "./half_words.ts";
import { MAX_ITERATIONS } from "./loop_limit.ts";
import { powerOfTwoBelow, TEAM_SIZE, teamFold } from "./team.ts";
import { declare } from "./tensors.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Vectors of a row per invocation on GPUs. */
const SHARE = 2;
/** Least invocations of a row on GPUs, and of a workgroup, which has several short rows. */
const LEAST = 8;
const WORKGROUP = 64;

/**
 * Returns the plan of one kernel. Columns outside of the range are written as 0.
 *
 * @param alone true to compute a row in one lane
 */
export function rowMap(options: RowMapOptions, alone = options.traits.class === "cpu"): KernelPlan {
  const { n, width: columns, traits, inputs, outputs, numbers = {}, range } = options;
  const width = vectorWidth(columns);
  const tensors = { ...inputs, ...outputs };
  // Software adapters load and store eight f16 at a time
  const pairs = columns % 8 === 0 && inPairs(tensors, traits);
  const places = columns / width;
  const members = alone ? 1 : Math.max(LEAST, powerOfTwoBelow(Math.min(TEAM_SIZE, Math.max(1, places / SHARE))));
  const rows = alone ? 1 : Math.ceil(WORKGROUP / members);
  const lanes = !alone ? members * rows : n < 8192 ? 8 : 64;
  const team = { columns: rows, members };
  const type = elementType("f32", width);
  const dtypes = [...new Set([...Object.values(inputs), ...Object.values(outputs)].map(({ dtype }) => dtype))];
  const shared = !alone && traits.class === "cpu" ? ".team" : "";
  const name = `${options.name}.${dtypes.join("-")}.x${pairs ? 8 : width}${shared}`;
  const packed = ({ dtype }: FloatBuffer) => pairs && dtype === "f16";
  const joined = alone
    ? ""
    : `${teamFold("rowSum", team, "f32", (a, b) => `${a} + ${b}`)}\n${
      teamFold("rowMax", team, "f32", (a, b) => `max(${a}, ${b})`)
    }`;
  const indexOf = (input: string, k: string) => inputs[input]!.kind === "row" ? k : `first + ${k}`;
  const column = width === 1 ? "k" : "(k * 4u + vec4<u32>(0u, 1u, 2u, 3u))";
  const bound = (value: string) => width === 1 ? value : `vec4<u32>(${value})`;
  const inside = range === undefined
    ? []
    : [`let inside = (${column} >= ${bound("low")}) & (${column} < ${bound("high")});`];
  let loops = range === undefined ? 0 : 1;
  /** @param written output whose f16 the statements write as words */
  const loop = (inputNames: readonly string[], statements: string, written: string | null = null) => {
    loops++;
    const block = pairs ? pairOf(inputNames, statements, written) : [
      ...inside,
      ...inputNames.map((input) =>
        `let ${input} = ${load(`${input}_`, indexOf(input, "k"), inputs[input]!.dtype, width)};`
      ),
      statements,
    ];
    return `${loopHead}\n    ${block.join("\n    ")}\n  }`;
  };
  const [counter, step] = pairs ? ["pair", 2 * width] : ["k", width];
  // The last workgroup may have fewer rows, but all its invocations meet at barriers
  const real = rows === 1 ? "" : " && row < u.n";
  const loopHead = range === undefined
    ? `for (var ${counter} = member; ${counter} < u.places${pairs ? " / 2u" : ""}${real}; ${counter} += ${members}u) {`
    : `for (var ${counter} = low / ${step}u + member; ${counter} < (high + ${step - 1}u) / ${step}u${real}; ` +
      `${counter} += ${members}u) {`;
  /** Returns the statements for two neighbouring vectors, whose f16 are loaded and stored together. */
  const pairOf = (inputNames: readonly string[], statements: string, written: string | null) => {
    const half = (h: 0 | 1) =>
      [
        "{",
        `let k = pair * 2u + ${h}u;`,
        ...inside,
        ...inputNames.map((input) =>
          `let ${input} = ${
            packed(inputs[input]!)
              ? `unpackF16(${input}_words.${["xy", "zw"][h]}, ${HIDDEN_ZERO})`
              : load(`${input}_`, indexOf(input, "k"), inputs[input]!.dtype, 4)
          };`
        ),
        statements,
        ...written === null ? [] : [`${written}_half${h} = ${written}_half;`],
        "}",
      ].join("\n      ");
    return [
      ...inputNames.filter((input) => packed(inputs[input]!))
        .map((input) => `let ${input}_words = ${input}_[${indexOf(input, "pair").replace("first", "first / 2u")}];`),
      ...written === null ? [] : [`var ${written}_half0: vec2<u32>;\n    var ${written}_half1: vec2<u32>;`],
      half(0),
      half(1),
      ...written === null ? [] : [`${written}_[first / 2u + pair] = vec4<u32>(${written}_half0, ${written}_half1);`],
    ];
  };
  const code: RowCode = {
    each: (inputNames, statements) => loop(inputNames, statements),
    write: (inputNames, output, value, { before = "", unit = false } = {}) => {
      const kept = range === undefined ? value : `select(T(), ${value}, inside)`;
      const halves = packed(outputs[output]!);
      const write = halves
        ? `let ${output}_half = ${unit ? "packUnitF16" : "packF16"}(${kept});`
        : store(`${output}_`, "first + k", kept, outputs[output]!, width);
      return loop(inputNames, `${before}\n    ${write}`, halves ? output : null);
    },
    sum: (value) => alone ? `sumOf(${value})` : `rowSum(sumOf(${value}), seat)`,
    max: (value) => alone ? value : `rowMax(${value}, seat)`,
  };
  const zeros = Object.entries(outputs).map(([name, buffer]) =>
    packed(buffer)
      ? `if (k % 2u == 0u) { ${name}_[(first + k) / 2u] = vec4<u32>(); }`
      : store(`${name}_`, "first + k", "T()", buffer, width)
  ).join(" ");
  const outside = range === undefined ? "" : `for (var k = member; k < u.places${real}; k += ${members}u) {
    if (k / ${step / width}u < low / ${step}u || k / ${step / width}u >= (high + ${step - 1}u) / ${step}u) { ${zeros} }
  }`;
  const declared = (buffer: FloatBuffer, width: 1 | 4): BufferDeclaration => ({
    ...declare(buffer, width),
    ...(packed(buffer) && width === 4 ? { type: "vec4<u32>" } : {}),
  });
  const kernel = defineKernel({
    name,
    buffers: {
      ...Object.fromEntries(
        Object.entries(inputs).map((
          [name, input],
        ) => [`${name}_`, declared(input, input.kind === "number" ? 1 : width)]),
      ),
      ...Object.fromEntries(Object.entries(outputs).map(([name, output]) => [`${name}_`, declared(output, width)])),
      ...Object.fromEntries(Object.entries(numbers).map(([name, ref]) => [`${name}_`, { ref, type: "f32" }])),
    },
    uniforms: { n, places, columns, ...options.uniforms },
    workgroupSize: [lanes],
    grid: linearGrid(alone ? n : Math.ceil(n / rows) * lanes, lanes, traits.maxWorkgroupsPerDimension),
    prelude: [
      `alias T = ${type};`,
      foldsOf(width),
      joined,
      ...pairs ? [UNPACK_F16, PACK_F16, PACK_UNIT_F16] : [],
      options.prelude ?? "",
    ].join(
      "\n",
    ),
    body: `  let row = ${
      alone
        ? LINEAR_INDEX(lanes)
        : rows === 1
        ? "wid.y * grid.x + wid.x"
        : `(wid.y * grid.x + wid.x) * ${rows}u + lix / ${members}u`
    };
  ${rows === 1 ? "if (row >= u.n) { return; }" : ""}
  let member = ${alone ? "0u" : rows === 1 ? "lix" : `lix % ${members}u`};
  ${alone ? "" : rows === 1 ? "let seat = lix;" : `let seat = member * ${rows}u + lix / ${members}u;`}
  let first = row * u.places;
  ${
      Object.entries(inputs).filter(([, { kind }]) => kind === "number")
        .map(([name, { dtype }]) => `let ${name} = ${load(`${name}_`, "row", dtype, 1)};`).join("\n  ")
    }
  ${range ?? ""}
  ${options.body(code)}
  ${outside}
  ${
      Object.keys(numbers).length === 0
        ? ""
        : `if (member == 0u${real}) { ${Object.keys(numbers).map((name) => `${name}_[row] = ${name};`).join(" ")} }`
    }`,
  });
  // A lane's loops would end early
  if (alone && loops * Math.ceil(pairs ? places / 2 : places) > MAX_ITERATIONS) return rowMap(options, false);
  return { name, kernels: [kernel], workspace: [] };
}

/** A tensor that a kernel reads: rows, one row that all rows share, or one number per row. */
export interface RowInput extends FloatBuffer {
  readonly kind: "rows" | "row" | "number";
}

/** Options of a loop that writes an output. */
interface RowWrite {
  /** Statements before the value. */
  readonly before?: string;
  /** True if all numbers are from 0 to 1, or NaN, which makes rounding to f16 faster. */
  readonly unit?: boolean;
}

/** Building blocks of the code of a row. `T` is the f32 type of a place, which holds one or four numbers. */
export interface RowCode {
  /**
   * Returns a loop over the places of the row, restricted to the range, with the named inputs as variables of type `T`.
   * `k` is the place in the row.
   */
  each(inputs: readonly string[], statements: string): string;
  /** Returns such a loop that writes `value` to every place of an output. */
  write(inputs: readonly string[], output: string, value: string, options?: RowWrite): string;
  /** Returns the sum over the row of `value`, a `T` that a loop has accumulated. */
  sum(value: string): string;
  /** Returns the largest `value` of the row's members, an `f32`. */
  max(value: string): string;
}

interface RowMapOptions {
  readonly name: string;
  readonly n: number;
  readonly width: number;
  readonly traits: DeviceTraits;
  readonly inputs: Readonly<Record<string, RowInput>>;
  /** Outputs of rows. */
  readonly outputs: Readonly<Record<string, FloatBuffer>>;
  /** Outputs of one f32 per row, with the variable of its value. */
  readonly numbers?: Readonly<Record<string, BufferRef>>;
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  readonly prelude?: string;
  /** Statements that declare `low` and `high`, the first column and the one after the last; the whole row by default. */
  readonly range?: string;
  readonly body: (code: RowCode) => string;
}

/** Returns WGSL of `sumOf(v)` and `maxOf(v)`, the sum and the largest number of a place, an `f32`. */
function foldsOf(width: 1 | 4): string {
  return width === 1
    ? "fn sumOf(v: f32) -> f32 { return v; }\nfn maxOf(v: f32) -> f32 { return v; }"
    : "fn sumOf(v: vec4<f32>) -> f32 { return (v.x + v.y) + (v.z + v.w); }\n" +
      "fn maxOf(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }";
}
