/**
 * Kernels of `row_map.ts` for software adapters with subgroups (`simd.ts`). The lanes of a subgroup share a row, which they
 * read once and keep in registers. A workgroup computes several rows and reads what all rows share only once.
 *
 * @module
 */
import { type BufferDeclaration, defineKernel, type KernelPlan, linearGrid } from "../../runtime/device/kernel.ts";
import { elementType, load, store, vectorWidth } from "./access.ts";
import { inPairs } from "./elements.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { HIDDEN_ZERO, PACK_F16, PACK_UNIT_F16, UNPACK_F16 } from "./half_words.ts";
import { foldsOf, type RowCode, type RowMapOptions } from "./row_code.ts";
import { fromLane, hasSimd, SIMD_LANES } from "./simd.ts";
import { declare } from "./tensors.ts";
import { unroll } from "./unroll.ts";

/** Maximum number of vectors that a lane reads of a row, over all inputs. Compilation takes time in proportion. */
const MOST_LOADS = 64;
/** Maximum rows per workgroup, and minimum number of workgroups. */
const MOST_ROWS = 16;
const FEWEST_WORKGROUPS = 64;

/** Returns the plan of one kernel; null if the adapter or the rows do not suit it. */
export function rowSimd(options: RowMapOptions): KernelPlan | null {
  const { n, width: columns, traits, inputs, outputs, numbers = {}, range } = options;
  const width = vectorWidth(columns);
  const pairs = columns % 8 === 0 && inPairs({ ...inputs, ...outputs }, traits);
  /** Vectors of a place: what a lane reads at once. */
  const halves = pairs ? [0, 1] as const : [0] as const;
  const places = columns / width / halves.length;
  const chunks = Math.ceil(places / SIMD_LANES);
  const loaded = Object.entries(inputs).filter(([, { kind }]) => kind !== "number");
  const crowded = chunks * loaded.length * halves.length > MOST_LOADS;
  // Lanes and parts of a row outside the range cost as much as those inside it
  const idle = places < 0.6 * chunks * SIMD_LANES;
  if (!hasSimd(traits) || crowded || idle || range !== undefined) return null;

  const packed = ({ dtype }: FloatBuffer) => pairs && dtype === "f16";
  /** Returns statements that read chunk `c` of an input to separate variables. */
  const read = (name: string, c: number) => {
    const { kind, dtype } = inputs[name]!;
    const place = `${kind === "row" ? "" : "firstPlace + "}lix + ${c * SIMD_LANES}u`;
    if (!pairs) return `let ${name}${c}_0 = ${load(`${name}_`, place, dtype, width)};`;
    if (!packed(inputs[name]!)) {
      return halves.map((h) => `let ${name}${c}_${h} = ${load(`${name}_`, `(${place}) * 2u + ${h}u`, dtype, 4)};`)
        .join("\n");
    }
    return `let ${name}${c}_words = ${name}_[${place}];
let ${name}${c}_0 = unpackF16(${name}${c}_words.xy, ${HIDDEN_ZERO});
let ${name}${c}_1 = unpackF16(${name}${c}_words.zw, ${HIDDEN_ZERO});`;
  };
  const ofKind = (wanted: "rows" | "row") =>
    loaded.filter(([, { kind }]) => kind === wanted).map(([name]) => unroll(chunks, (c) => read(name, c))).join("\n");
  /** Returns statements for every place. Lanes without one are left out in the last chunk. */
  const each = (names: readonly string[], statements: (c: number, h: 0 | 1) => string, after = (_: number) => "") =>
    unroll(chunks, (c) => {
      const block = halves.map((h) =>
        `{
let k = (lix + ${c * SIMD_LANES}u) * ${halves.length}u + ${h}u;
${names.map((name) => `let ${name} = ${name}${c}_${h};`).join("\n")}
${statements(c, h)}
}`
      ).join("\n");
      const partial = places % SIMD_LANES !== 0 && c === chunks - 1;
      return partial ? `if (lix < ${places % SIMD_LANES}u) {\n${block}\n${after(c)}\n}` : `${block}\n${after(c)}`;
    });
  const code: RowCode = {
    each: (names, statements) => each(names, () => statements),
    write(names, output, value, { before = "", unit = false } = {}) {
      const buffer = outputs[output]!;
      if (!packed(buffer)) {
        return each(names, () => `${before}\n${store(`${output}_`, "first + k", value, buffer, width)}`);
      }
      const half = `${unit ? "packUnitF16" : "packF16"}(${value})`;
      return `${unroll(chunks, (c) => `var ${output}${c}_0: vec2<u32>;\nvar ${output}${c}_1: vec2<u32>;`)}
${
        each(
          names,
          (c, h) => `${before}\n${output}${c}_${h} = ${half};`,
          (c) => `${output}_[firstPlace + lix + ${c * SIMD_LANES}u] = vec4<u32>(${output}${c}_0, ${output}${c}_1);`,
        )
      }`;
    },
    sum: (value) => `rowSum(sumOf(${value}))`,
    max: (value) => `rowMax(${value})`,
    keep: (name, names, value) =>
      `${unroll(chunks, (c) => halves.map((h) => `var ${name}${c}_${h}: T;`).join(" "))}
${each(names, (c, h) => `${name}${c}_${h} = ${value};`)}`,
  };
  const dtypes = [...new Set([...Object.values(inputs), ...Object.values(outputs)].map(({ dtype }) => dtype))];
  const name = `${options.name}.simd${places}.${dtypes.join("-")}.x${width * halves.length}`;
  const declared = (buffer: FloatBuffer): BufferDeclaration => ({
    ...declare(buffer, width),
    ...(packed(buffer) ? { type: "vec4<u32>" } : {}),
  });
  const rowsEach = Math.max(1, Math.min(MOST_ROWS, Math.floor(n / FEWEST_WORKGROUPS)));
  const lanes = Array.from({ length: SIMD_LANES }, (_, lane) => fromLane("value", lane));
  const kernel = defineKernel({
    name,
    buffers: Object.fromEntries(
      [
        ...Object.entries(inputs).map(([name, input]) =>
          [name, input.kind === "number" ? declare(input, 1) : declared(input)] as const
        ),
        ...Object.entries(outputs).map(([name, output]) => [name, declared(output)] as const),
        ...Object.entries(numbers).map(([name, ref]) => [name, { ref, type: "f32" }] as const),
      ].map(([name, declaration]) => [`${name}_`, declaration]),
    ),
    uniforms: { n, rowsEach, ...options.uniforms },
    workgroupSize: [SIMD_LANES],
    grid: linearGrid(Math.ceil(n / rowsEach), 1, traits.maxWorkgroupsPerDimension),
    prelude: [
      `alias T = ${elementType("f32", width)};`,
      foldsOf(width),
      `fn rowSum(value: f32) -> f32 { return ${lanes.join(" + ")}; }`,
      `fn rowMax(value: f32) -> f32 { return ${lanes.reduce((a, b) => `max(${a}, ${b})`)}; }`,
      ...pairs ? [UNPACK_F16, PACK_F16, PACK_UNIT_F16] : [],
      options.prelude ?? "",
    ].join("\n"),
    body: `  let firstRow = (wid.y * grid.x + wid.x) * u.rowsEach;
  ${ofKind("row")}
  for (var row = firstRow; row < min(firstRow + u.rowsEach, u.n); row++) {
  let firstPlace = row * ${places}u;
  let first = row * ${places * halves.length}u;
  ${ofKind("rows")}
  ${
      Object.entries(inputs).filter(([, { kind }]) => kind === "number")
        .map(([name, { dtype }]) => `let ${name} = ${load(`${name}_`, "row", dtype, 1)};`).join("\n  ")
    }
  ${options.body(code)}
  ${
      Object.keys(numbers).length === 0
        ? ""
        : `if (lix == 0u) { ${Object.keys(numbers).map((name) => `${name}_[row] = ${name};`).join(" ")} }`
    }
  }`,
  });
  return { name, kernels: [kernel], workspace: [] };
}
