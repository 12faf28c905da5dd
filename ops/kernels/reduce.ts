/**
 * Reductions of a tensor over any of its axes, with an elementwise chain before them. The dimensions are merged into
 * alternating kept and reduced ones. If the innermost is reduced, a lane (on GPUs a workgroup) reads along rows;
 * otherwise neighbouring lanes take neighbouring outputs. If there are few outputs, each sum is split, and a second
 * stage merges the parts in order.
 *
 * @module
 */

import type { DType } from "../../runtime/core/dtype.ts";
import {
  type BufferDeclaration,
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { chainName, type ChainStep } from "./chain.ts";
import { type ReduceShares, sharesOf } from "./reduce_shares.ts";
import { halvesOf, readsHalves, type ReduceSource, sourceOf } from "./reduce_source.ts";
import { declareCopies, declareState, foldMembers, foldParts, inCopy, type Reducer, teamMemory } from "./reducer.ts";
import { addressOf, DIVISION } from "./strided.ts";
import { overlapped, unroll } from "./unroll.ts";

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
  const shares = sharesOf(axes, space, inputs, traits);
  const halves = readsHalves(steps, inputs, shares, traits) ? options.reducer.halves : undefined;
  const reducer = halves ?? options.reducer;
  const source = halves === undefined ? sourceOf(steps, inputs, space, shares, traits) : halvesOf(shares);
  const first = firstStage(reducer, source, shares, options);
  if (shares.splits === 1) return { name: first.name, kernels: [first], workspace: [] };
  const second = secondStage(reducer, shares, dtype, traits);
  const workspace = reducer.state.map(() => shares.splits * rowOf(shares) * 4);
  return { name: first.name, kernels: [first, second], workspace };
}

/** Returns the kernel that reduces the terms of each split of each unit. */
function firstStage(
  reducer: Reducer,
  source: ReduceSource,
  shares: ReduceShares,
  options: ReduceOptions,
): KernelSpec {
  const { traits, dtype } = options;
  const { mode, outputs, units, terms, members, splits, together } = shares;
  const team = members > 1;
  const parts = splits > 1;
  const count = units * splits;
  const lanes = team ? members : traits.class === "cpu" && count < 8192 ? 8 : 64;
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
  const two = hasTwoStates(shares);
  const result = width === 1 ? `${reducer.result}.x` : reducer.result;
  const write = (unit: string) =>
    parts
      ? reducer.state.map((state) =>
        `${state.name}Part[split * u.row + ${unit}] = ${state.name}${width === 1 ? ".x" : ""};`
      ).join("\n  ")
      : `y_[${unit}] = ${outputType(dtype, width)}(${result});`;
  const loop = traits.class === "cpu" ? inTurn : overlapped;
  const first = `split / ${together}u * u.perSplit + ${team ? "lix" : `split % ${together}u`}`;
  return defineKernel({
    name: reduceName(reducer, shares, options),
    buffers: { ...source.buffers, ...targets },
    uniforms: {
      count,
      units,
      terms,
      perSplit,
      ...(mode === "single" ? { last: outputs - 1 } : {}),
      ...(parts ? { row: rowOf(shares) / (width === 1 ? 1 : 4) } : {}),
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
  let unit = index % u.units;
  let split = index / u.units;
  let base = unitAt(${mode === "single" ? "min(unit * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last))" : "unit"});
  ${two ? declareCopies(reducer) : declareState(reducer)}
  let end = min((split / ${together}u + 1u) * u.perSplit, u.terms);
  ${loop("t", first, "end", team ? members : together, addVectors(reducer, source, shares, "base + termAt(t)"))}
  ${mode === "rows" ? [foldParts(reducer, "yxwz"), foldParts(reducer, "zwxy")].join("\n  ") : ""}
  ${team ? foldMembers(reducer, members) : ""}
  ${
      two
        ? unroll(2, (copy) =>
          `{ ${
            reducer.state.map((state) => `let ${state.name} = ${state.name}${copy};`).join(" ")
          } ${write(`unit * 2u + ${copy}u`)} }`)
        : write("unit")
    }${team ? "\n  }" : ""}`,
  });
}

/** Returns a loop like {@linkcode overlapped} that takes one at a time. */
function inTurn(variable: string, first: string, end: string, stride: number, body: string): string {
  return `for (var ${variable} = ${first}; ${variable} < ${end}; ${variable} += ${stride}u) {
    ${body}
  }`;
}

/** Returns the kernel that merges the parts of each output. */
function secondStage(
  reducer: Reducer,
  { outputs, splits }: Pick<ReduceShares, "outputs" | "splits">,
  dtype: DType,
  traits: DeviceTraits,
): KernelSpec {
  const vectors = Math.ceil(outputs / 4);
  const loop = traits.class === "cpu" ? inTurn : overlapped;
  const parts = reducer.state.map(({ name }) => `let ${name}B = ${name}Part[s * u.vectors + i];`);
  const merge = [...parts, reducer.merge].join("\n    ");
  return defineKernel({
    name: `reduce_parts.${reducer.name}.${dtype}`,
    buffers: {
      ...Object.fromEntries(
        reducer.state.map((state, n) => [
          `${state.name}Part`,
          { ref: { workspace: n }, type: `vec4<${state.type}>`, access: "read" as const },
        ]),
      ),
      y_: { ref: { output: 0 }, type: outputType(dtype, 4) },
    },
    uniforms: { vectors, splits, ...reducer.uniforms },
    workgroupSize: [64],
    grid: linearGrid(vectors, 64, traits.maxWorkgroupsPerDimension),
    prelude: reducer.prelude ?? "",
    body: `  let i = ${LINEAR_INDEX(64)};
  if (i >= u.vectors) { return; }
  ${declareState(reducer)}
  ${loop("s", "0u", "u.splits", 1, merge)}
  y_[i] = ${outputType(dtype, 4)}(${reducer.result});`,
  });
}

/** Returns the numbers that a split writes of each state, a multiple of four. */
function rowOf({ outputs }: ReduceShares): number {
  return Math.ceil(outputs / 4) * 4;
}

/** Returns the name of a kernel that reads elements. */
function reduceName(
  reducer: Reducer,
  { mode, pairs }: ReduceShares,
  { steps, inputs, dtype }: { readonly steps: readonly ChainStep[]; inputs: readonly TensorType[]; dtype: DType },
): string {
  return [
    "reduce",
    reducer.name,
    mode,
    ...(pairs ? ["x8"] : []),
    ...(steps.length === 0 ? [] : [chainName(steps)]),
    `${[...new Set(inputs.map((type) => type.dtype))].join("-")}_${dtype}`,
  ].join(".");
}

/** Returns true if each vector of a pair has its own state: in columns they are of different outputs. */
function hasTwoStates({ pairs, mode }: ReduceShares): boolean {
  return pairs && mode === "columns";
}

/** Returns statements that add the vector, or the pair of vectors, at `place` to the state. */
function addVectors(
  reducer: Reducer,
  source: ReduceSource,
  shares: ReduceShares,
  place: string,
): string {
  const { mode, pairs } = shares;
  const vector = (side: 0 | 1) => {
    const at = mode !== "rows"
      ? "vec4<u32>(t)"
      : pairs
      ? `t * 8u + vec4<u32>(${[0, 1, 2, 3].map((j) => `${4 * side + j}u`).join(", ")})`
      : "t * 4u + vec4<u32>(0u, 1u, 2u, 3u)";
    return [
      ...(reducer.placed === true ? [`let at = ${at};`] : []),
      source.statements(side),
      reducer.step,
    ].join("\n      ");
  };
  if (!pairs) return `let ${mode === "single" ? "e" : "i"} = ${place};\n    ${vector(0)}`;
  const side = (h: 0 | 1) => {
    const statements = `let i = pair * 2u + ${h}u;\n      ${vector(h)}`;
    return hasTwoStates(shares) ? inCopy(reducer, h, statements) : `{\n      ${statements}\n    }`;
  };
  return [`let pair = ${place};`, source.words, side(0), side(1)].join("\n    ");
}

/** Returns the type of an output's vectors, or of its single numbers. */
function outputType(dtype: DType, width: 1 | 4): string {
  return width === 1 ? dtype : `vec4<${dtype}>`;
}
