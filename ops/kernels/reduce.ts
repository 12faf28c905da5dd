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
import type { ChainStep } from "./chain.ts";
import { addVectors, hasTwoStates, outputType, reduceName } from "./reduce_code.ts";
import { type ReduceShares, sharesOf } from "./reduce_shares.ts";
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

/** Returns the kernel that reduces the terms of each split of each unit. */
function firstStage(
  reducer: Reducer,
  source: ReduceSource,
  shares: ReduceShares,
  options: ReduceOptions,
): KernelSpec {
  const { traits, dtype } = options;
  const { mode, outputs, elements, units, terms, pairs, ragged, period, members, splits, together } = shares;
  const team = members > 1;
  const parts = splits * period > 1;
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
  const add = (place: string, masked = false) => addVectors(reducer, source, shares, place, masked);
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
    name: reduceName(reducer, shares, options),
    buffers: { ...source.buffers, ...targets },
    uniforms: {
      count,
      units,
      terms,
      perSplit,
      ...(mode === "single" ? { last: outputs - 1 } : {}),
      ...(ragged ?? {}),
      ...(period > 1 ? { elements } : {}),
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
  ${
      ragged !== null
        ? `let start = unit * u.length;\n  let base = start / ${pairs ? 8 : 4}u;`
        : `let base = unitAt(${
          mode === "single" ? "min(unit * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last))" : "unit"
        });`
    }
  ${two ? declareCopies(reducer) : declareState(reducer)}
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
      two
        ? unroll(2, (copy) =>
          `{ ${
            reducer.state.map((state) => `let ${state.name} = ${state.name}${copy};`).join(" ")
          } ${write(`unit * 2u + ${copy}u`)} }`)
        : write("unit")
    }${team ? "\n  }" : ""}`,
  });
}

/** Returns the kernel that merges the parts of each output. */
function secondStage(
  reducer: Reducer,
  { outputs, splits, period }: Pick<ReduceShares, "outputs" | "splits" | "period">,
  dtype: DType,
  traits: DeviceTraits,
): KernelSpec {
  const vectors = Math.ceil(outputs / 4);
  const single = period > 1;
  const part = (name: string, type: string) =>
    single
      ? `vec4<${type}>(${["x", "y", "z", "w"].map((j) => `${name}Part[at.${j}]`).join(", ")})`
      : `${name}Part[s * u.vectors + i]`;
  return defineKernel({
    name: `reduce_parts.${reducer.name}.${single ? "periods." : ""}${dtype}`,
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
      ...reducer.uniforms,
    },
    workgroupSize: [64],
    grid: linearGrid(vectors, 64, traits.maxWorkgroupsPerDimension),
    prelude: reducer.prelude ?? "",
    body: `  let i = ${LINEAR_INDEX(64)};
  if (i >= u.vectors) { return; }
  ${single ? "let output = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.outputs - 1u));" : ""}
  ${declareState(reducer)}
  for (var s = 0u; s < u.splits; s++) {
    ${single ? "let at = s * u.outputs + output;" : ""}
    ${reducer.state.map(({ name, type }) => `let ${name}B = ${part(name, type)};`).join("\n    ")}
    ${reducer.merge}
  }
  y_[i] = ${outputType(dtype, 4)}(${reducer.result});`,
  });
}

/** Returns the numbers that a split writes of each state, a multiple of four. */
function rowOf({ outputs, period }: ReduceShares): number {
  return period > 1 ? outputs * period : Math.ceil(outputs / 4) * 4;
}
