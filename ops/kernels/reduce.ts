/**
 * Reductions of a tensor over any of its axes, with an elementwise chain before them. The dimensions are merged into
 * alternating kept and reduced ones. If the innermost is reduced, a lane (on GPUs a workgroup) reads along rows;
 * otherwise neighbouring lanes take neighbouring outputs. If there are few outputs, each sum is split, and a second
 * stage merges the parts in order.
 *
 * @module
 */
import { type DType, DTYPE_BYTES } from "../../runtime/core/dtype.ts";
import {
  type BufferDeclaration,
  defineKernel,
  type KernelOptions,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import type { ChainStep } from "./chain.ts";
import { addVectors, outputType, reduceName, statesOf } from "./reduce_code.ts";
import { type ReduceShares, sharesOf, SIDE } from "./reduce_shares.ts";
import { type ReduceWindow, type ReduceWindows, reduceWindows } from "./reduce_windows.ts";
import { halvesOf, readsHalves, type ReduceSource, sourceOf } from "./reduce_source.ts";
import { declareCopies, declareState, foldMembers, foldParts, type Reducer, teamMemory } from "./reducer.ts";
import { addressOf, DIVISION } from "./strided.ts";
import { unroll } from "./unroll.ts";

export interface ReduceOptions {
  readonly reducer: Reducer;
  /** Logical dimensions to reduce. */
  readonly axes: readonly number[];
  /** Type of what is reduced: of input 0, or of the last step. */
  readonly space: TensorType;
  /** Ops before the reduction; if there are none, input 0 is reduced. */
  readonly steps: readonly ChainStep[];
  readonly inputs: readonly TensorType[];
  /** Element type of output 0, whose dimensions are in the order in which the input stores them. */
  readonly dtype: DType;
  readonly traits: DeviceTraits;
}

/** Returns the kernels of a reduction. */
export function reducePlan(options: ReduceOptions): KernelPlan {
  const { traits, dtype, steps, inputs, space, axes } = options;
  const indexed = steps.some(({ form }) => form.inputs.some((input) => typeof input !== "string"));
  const windows = indexed ? null : reduceWindows(axes, space, inputs, DTYPE_BYTES[dtype], traits);
  if (windows !== null) return windowedPlan(windows, options);
  const shares = sharesOf(axes, space, inputs, options.reducer.placed ?? false, traits);
  const halves = readsHalves(steps, inputs, shares, traits) ? options.reducer.halves : undefined;
  const reducer = halves ?? options.reducer;
  const source = halves === undefined ? sourceOf(steps, inputs, space, shares, traits) : halvesOf(shares);
  const first = firstStage(reducer, source, shares, options);
  if (shares.splits * shares.period === 1) return { name: first.name, kernels: [first], workspace: [] };
  const second = secondStage(reducer, shares, dtype, traits);
  const workspace = reducer.state.map(() => shares.splits * rowOf(shares) * 4);
  return { name: first.name, kernels: [first, second], workspace };
}

/** Returns the kernels of a reduction that reads windows of its inputs. */
function windowedPlan(windows: ReduceWindows, options: ReduceOptions): KernelPlan {
  const { traits, dtype, steps, inputs, space } = options;
  const { shares } = windows.windows[0]!;
  const halves = readsHalves(steps, inputs, shares, traits) ? options.reducer.halves : undefined;
  const reducer = halves ?? options.reducer;
  const source = halves === undefined ? sourceOf(steps, inputs, space, shares, traits, true) : halvesOf(shares);
  const kernels = windows.windows.map((window) =>
    firstStage(reducer, source, window.shares, options, { window, row: windows.row, parts: windows.parts !== null })
  );
  const { parts, outputs, row } = windows;
  const { name } = kernels[0]!;
  if (parts === null) return { name, kernels, workspace: [] };
  kernels.push(secondStage(reducer, { outputs, splits: parts, period: 1 }, dtype, traits, windows));
  return { name, kernels, workspace: reducer.state.map(() => parts * row * 4) };
}

/** A window of the first stage, the numbers of a part of all outputs, and true if it writes parts. */
interface FirstStageWindow {
  readonly window: ReduceWindow;
  readonly row: number;
  readonly parts: boolean;
}

/** Returns the kernel that reduces the terms of each split of each unit. */
function firstStage(
  reducer: Reducer,
  source: ReduceSource,
  shares: ReduceShares,
  options: ReduceOptions,
  windowed: FirstStageWindow | null = null,
): KernelSpec {
  const { traits, dtype } = options;
  const { mode, outputs, elements, units, terms, pairs, ragged, period, wide, members, splits, together } = shares;
  const name = `${reduceName(reducer, shares, options)}${windowed === null ? "" : ".windows"}`;
  const team = members > 1;
  const parts = windowed?.parts ?? splits * period > 1;
  const lines = units / wide;
  const count = lines * splits;
  const lanes = team ? members : traits.class === "cpu" && (windowed !== null || count < 8192) ? 8 : 64;
  const width = mode === "rows" ? 1 : 4;
  const targets: Record<string, BufferDeclaration> = parts
    ? Object.fromEntries(
      reducer.state.map((state, n) => [
        `${state.name}Part`,
        { ref: { workspace: n }, type: width === 1 ? state.type : `vec4<${state.type}>` },
      ]),
    )
    : { y_: { ref: { output: 0 }, type: outputType(dtype, width) } };
  const unit = addressOf("unitAt", shares.unit, mode === "single" ? "vec4<u32>" : "u32");
  const term = addressOf("termAt", shares.term, "u32");
  const perSplit = Math.ceil(terms / (splits / together));
  const halves = statesOf(shares);
  const copies = wide * halves;
  const result = width === 1 ? `${reducer.result}.x` : reducer.result;
  const write = (unit: string) => {
    const place = windowed === null ? unit : `${unit} + u.place`;
    return parts
      ? reducer.state.map((state) =>
        `${state.name}Part[split * u.row + ${place}] = ${state.name}${width === 1 ? ".x" : ""};`
      ).join("\n  ")
      : `y_[${place}] = ${outputType(dtype, width)}(${result});`;
  };
  const shift = windowed === null ? "" : " + u.shift";
  const add = (place: string, masked = false) =>
    unroll(wide, (v) => addVectors(reducer, source, shares, place + sideOf(v), { masked, copy: v * halves }));
  const edge = (n: string) => add(`base + select(u.terms + ${n}, 0u, ${n} == 0u)`, true);
  // Elements are in order where the first of equal ones counts
  const ordered = ragged !== null && reducer.placed === true;
  const edgesFrom = (first: string, end: string) =>
    `if (split == 0u) {
    for (var n = ${first}; n < ${end}; n++) {
    ${edge("n")}
    }
  }`;
  const edges = ragged !== null ? edgesFrom("0u", ordered ? "1u" : "u.edges") : period > 1
    ? `if (split == 0u) {
    ${add("base + u.terms * u.units", true)}
  }`
    : "";
  return defineKernel({
    name,
    ...(windowed === null
      ? { buffers: { ...source.buffers, ...targets } }
      : inWindows(source, targets, windowed.window)),
    uniforms: {
      count,
      units,
      ...(wide > 1 ? { lines } : {}),
      terms,
      perSplit,
      ...(mode === "single" ? { last: outputs - 1 } : {}),
      ...(ragged ?? {}),
      ...(period > 1 ? { elements } : {}),
      ...(parts ? { row: (windowed?.row ?? rowOf(shares)) / (width === 1 ? 1 : 4) } : {}),
      ...(windowed === null ? {} : windowUniforms(windowed.window, width)),
      ...unit.uniforms,
      ...term.uniforms,
      ...source.uniforms,
      ...reducer.uniforms,
    },
    workgroupSize: [lanes],
    grid: linearGrid(team ? count * members : count, lanes, traits.maxWorkgroupsPerDimension),
    prelude: [
      DIVISION,
      unit.functions,
      term.functions,
      source.prelude,
      reducer.prelude ?? "",
      team ? teamMemory(reducer, members) : "",
    ].join("\n"),
    body: `  let index = ${team ? "wid.y * grid.x + wid.x" : LINEAR_INDEX(lanes)};
  if (index >= u.count) { return; }
  ${
      wide === 1 ? "let unit = index % u.units;\n  let split = index / u.units;" : `let line = index % u.lines;
  let unit = line / ${SIDE}u * ${SIDE * wide}u + line % ${SIDE}u;
  let split = index / u.lines;`
    }
  ${
      ragged !== null
        ? `let start = unit * u.length${shift};\n  let base = start / ${pairs ? 8 : 4}u;`
        : `let base = unitAt(${
          mode === "single" ? "min(unit * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last))" : "unit"
        })${shift};`
    }
  ${copies === 1 ? declareState(reducer) : declareCopies(reducer, copies)}
  ${edges}
  let end = min((split / ${together}u + 1u) * u.perSplit, u.terms);
  for (var t = split / ${together}u * u.perSplit + ${team ? "lix" : `split % ${together}u`}; t < end; t += ${
      team ? members : together
    }u) {
    ${add(ragged === null ? "base + termAt(t)" : "base + 1u + t")}
  }
  ${ordered ? edgesFrom("1u", "u.edges") : ""}
  ${mode === "rows" ? [foldParts(reducer, "yxwz"), foldParts(reducer, "zwxy")].join("\n  ") : ""}
  ${team ? foldMembers(reducer, members) : ""}
  ${
      copies === 1
        ? write("unit")
        : unroll(copies, (copy) =>
          `{ ${reducer.state.map((state) => `let ${state.name} = ${state.name}${copy};`).join(" ")} ${
            write(`(unit${sideOf(Math.floor(copy / halves))}) * ${halves}u + ${copy % halves}u`)
          } }`)
    }${team ? "\n  }" : ""}`,
  });
}

/** Returns the kernel that merges the parts of each output. */
function secondStage(
  reducer: Reducer,
  { outputs, splits, period }: Pick<ReduceShares, "outputs" | "splits" | "period">,
  dtype: DType,
  traits: DeviceTraits,
  windows: ReduceWindows | null = null,
): KernelSpec {
  const vectors = Math.ceil(outputs / 4);
  const padding = windows?.padding ?? null;
  const single = period > 1 || padding !== null;
  const row = padding !== null
    ? windows!.row
    : windows !== null && windows.row !== 4 * vectors
    ? windows.row / 4
    : null;
  // Each window counts its rows from 0
  const moved = windows === null ? undefined : reducer.moved;
  const part = (name: string, type: string) =>
    single
      ? `vec4<${type}>(${["x", "y", "z", "w"].map((j) => `${name}Part[at.${j}]`).join(", ")})`
      : `${name}Part[s * u.${row === null ? "vectors" : "row"} + i]`;
  return defineKernel({
    name: `reduce_parts.${reducer.name}.${period > 1 ? "periods." : moved === undefined ? "" : "windows."}${
      padding !== null ? "blocks." : row === null ? "" : "padded."
    }${dtype}`,
    buffers: {
      ...Object.fromEntries(
        reducer.state.map((state, n) => [
          `${state.name}Part`,
          { ref: { workspace: n }, type: single ? state.type : `vec4<${state.type}>`, access: "read" as const },
        ]),
      ),
      y_: { ref: { output: 0 }, type: outputType(dtype, 4) },
    },
    uniforms: {
      vectors,
      splits: splits * period,
      ...(single ? { outputs } : {}),
      ...(row === null ? {} : { row }),
      ...padding,
      ...(windows === null || moved === undefined
        ? {}
        : { partsPerWindow: windows.partsPerWindow, rowsPerWindow: windows.rowsPerWindow }),
      ...reducer.uniforms,
    },
    workgroupSize: [64],
    grid: linearGrid(vectors, 64, traits.maxWorkgroupsPerDimension),
    prelude: reducer.prelude ?? "",
    body: `  let i = ${LINEAR_INDEX(64)};
  if (i >= u.vectors) { return; }
  ${single ? "let output = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.outputs - 1u));" : ""}
  ${
      !single
        ? ""
        : padding === null
        ? "let numbers = output;"
        : "let numbers = output / u.columns * u.padded + output % u.columns;"
    }
  ${declareState(reducer)}
  for (var s = 0u; s < u.splits; s++) {
    ${single ? `let at = s * u.${row === null ? "outputs" : "row"} + numbers;` : ""}
    ${
      reducer.state.map(({ name, type }) => `${moved === undefined ? "let" : "var"} ${name}B = ${part(name, type)};`)
        .join("\n    ")
    }
    ${moved?.("s / u.partsPerWindow * u.rowsPerWindow") ?? ""}
    ${reducer.merge}
  }
  y_[i] = ${outputType(dtype, 4)}(${reducer.result});`,
  });
}

/** Returns the declarations of a kernel that reads and writes windows, and their offsets. */
function inWindows(
  source: ReduceSource,
  targets: Readonly<Record<string, BufferDeclaration>>,
  { bytes, written, slices }: ReduceWindow,
): Pick<KernelOptions, "buffers" | "slices"> {
  const [inputs, outputs] = [Object.entries(source.buffers), Object.entries(targets)];
  return {
    buffers: {
      ...Object.fromEntries(inputs.map(([name, buffer]) => [name, { ...buffer, access: "uniform", window: bytes }])),
      ...Object.fromEntries(outputs.map(([name, buffer]) => [name, { ...buffer, window: written }])),
    },
    slices: slices.map((offsets) =>
      Object.fromEntries([
        ...inputs.map(([name]) => [name, offsets.read] as const),
        ...outputs.map(([name]) => [name, offsets.written] as const),
      ])
    ),
  };
}

/** Returns uniforms with what comes before the first row of a window and its first result, in the kernel's units. */
function windowUniforms({ shares: { mode, pairs, ragged, loose }, shift, place }: ReduceWindow, width: 1 | 4) {
  return { shift: shift / (mode === "single" || ragged !== null || loose ? 1 : pairs ? 8 : 4), place: place / width };
}

/** Returns the numbers that a split writes of each state, a multiple of four. */
function rowOf({ outputs, period }: ReduceShares): number {
  return period > 1 ? outputs * period : Math.ceil(outputs / 4) * 4;
}

/** Returns WGSL that adds the distance to the vector `v` of those that a lane reads side by side. */
function sideOf(v: number): string {
  return v === 0 ? "" : ` + ${v * SIDE}u`;
}
