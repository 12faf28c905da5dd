import { type DType, isFloat } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelOptions,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { declarePlaces, inPairs, placeCode, type PlaceOptions, placePrelude, severalPlaces } from "./elements.ts";
import type { FloatBuffer } from "./access.ts";
import { DIVISION, readVectors, type StridedView } from "./strided.ts";
import { variantName } from "./tensors.ts";

/** Invocations per workgroup. */
const WORKGROUP = 64;
const GPU_WORKGROUP = 256;
/** Vectors whose reads an invocation overlaps on GPUs, if there are enough of them to keep the whole device busy. */
const AT_ONCE = 4;
const MANY = 1 << 20;

/** A tensor whose elements are read in another order than the outputs' are written, or of integers. */
export interface SpreadInput {
  readonly ref: BufferRef;
  readonly dtype: DType;
  readonly view: StridedView;
}

export interface ElementwiseOptions {
  /** Family of the kernel, such as `relu`. */
  readonly name: string;
  readonly traits: DeviceTraits;
  /** Type of an output; `inputs` and `outputs` have the same number of elements in the same order. */
  readonly type: TensorType;
  /** Tensors to read; each is a `vec4<f32>` of its name in the expressions. */
  readonly inputs: Readonly<Record<string, FloatBuffer>>;
  /** Tensors to read through a view; likewise a `vec4<f32>` in the expressions, also if their elements are integers. */
  readonly spread?: Readonly<Record<string, SpreadInput>>;
  /** Tensors to write, each with the expression of its value, a `vec4<f32>`. */
  readonly outputs: Readonly<Record<string, FloatBuffer & { readonly value: string }>>;
  /** Additional storage buffers, declared as for `defineKernel`. */
  readonly buffers?: KernelOptions["buffers"];
  /** Fields of `u` that the expressions use; `vectors`, `perLane` and `fours` are reserved. */
  readonly uniforms?: KernelOptions["uniforms"];
  readonly prelude?: string;
  /** Statements before the values are computed, in terms of `i`, the index of this vector of four elements. */
  readonly statements?: string;
}

/**
 * Returns a kernel that computes each element from the elements at the same place, four or eight at a time. On software
 * adapters, where each lane has overhead, a lane computes several places. The last place may extend into the padding of
 * its buffers.
 */
export function elementwise(options: ElementwiseOptions): KernelPlan {
  const { traits, inputs, outputs } = options;
  const tensors = { ...inputs, ...outputs };
  const width = inPairs(tensors, traits) ? 8 : 4;
  const spread = spreadReads(options.spread ?? {});
  const name = `${options.name}.${variantName(tensors, width)}${spread.variant}`;
  const places = { width, place: "i", reads: inputs, writes: outputs, vectors: "u.fours" } as const;
  const size = sizeOf(options.type.shape);
  const fours = Math.ceil(size / 4);
  const code = { ...places, statements: spread.statements + (options.statements ?? "") };
  const uniforms = { ...options.uniforms, ...spread.uniforms };
  const kernel = defineKernel({
    name,
    buffers: { ...declarePlaces(places), ...spread.buffers, ...options.buffers },
    prelude: `${placePrelude(places)}${spread.prelude}\n${options.prelude ?? ""}`,
    ...(traits.class !== "cpu" && fours >= MANY ? severalVectors(fours, traits, code, uniforms) : vectorLoop(
      Math.ceil(size / width),
      traits,
      placeCode(code),
      width === 8 ? { fours, ...uniforms } : uniforms,
    )),
  });
  return { name, kernels: [kernel], workspace: [] };
}

/** Returns the code that reads spread inputs, and the part of the kernel's name that tells their views apart. */
function spreadReads(inputs: Readonly<Record<string, SpreadInput>>) {
  const entries = Object.entries(inputs).map(([name, { ref, dtype, view }]) => {
    const read = readVectors(`${name}_`, dtype, view);
    return { name, ref, dtype, view, ...read };
  });
  return {
    buffers: Object.fromEntries(entries.map(({ name, ref, type }) => [`${name}_`, { ref, type }])),
    uniforms: Object.assign({}, ...entries.map(({ uniforms }) => uniforms)) as Record<string, number>,
    prelude: entries.length === 0 ? "" : `\n${[DIVISION, ...entries.map(({ functions }) => functions)].join("\n")}`,
    statements: entries.map(({ name, dtype }) =>
      `let ${name} = ${isFloat(dtype) ? `${name}_At(i)` : `vec4<f32>(${name}_At(i))`};\n    `
    ).join(""),
    variant: entries.length === 0 ? "" : `.strided${entries.map(({ view }) => view.sizes.length).join("_")}`,
  };
}

/**
 * Returns the body, grid and uniforms of a kernel that runs `each` for every `i` below `vectors`. On software adapters,
 * eight lanes, which run as one vector, read memory sequentially; on lavapipe this is twice as fast as a workgroup
 * whose lanes take turns. On GPUs a lane computes one vector.
 */
export function vectorLoop(
  vectors: number,
  traits: DeviceTraits,
  each: string,
  uniforms: KernelOptions["uniforms"] = {},
): Loop {
  if (traits.class !== "cpu") {
    return {
      uniforms: { vectors, ...uniforms },
      workgroupSize: [GPU_WORKGROUP],
      grid: linearGrid(vectors, GPU_WORKGROUP, traits.maxWorkgroupsPerDimension),
      body: `  let i = ${LINEAR_INDEX(GPU_WORKGROUP)};
  if (i >= u.vectors) { return; }
  ${each}`,
    };
  }
  const perLane = 16;
  return {
    uniforms: { vectors, perLane, ...uniforms },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(Math.ceil(vectors / perLane), WORKGROUP, traits.maxWorkgroupsPerDimension),
    body: `  let first = ((wid.y * grid.x + wid.x) * ${WORKGROUP}u + (lix & ~7u)) * u.perLane + (lix & 7u);
  let end = min(first + u.perLane * 8u, u.vectors);
  for (var i = first; i < end; i += 8u) {
    ${each}
  }`,
  };
}

type Loop = Pick<KernelOptions, "body" | "grid" | "uniforms" | "workgroupSize">;

/**
 * Returns {@linkcode vectorLoop} for GPUs: each invocation overlaps the reads of several vectors, next to its
 * neighbours'.
 */
function severalVectors(
  vectors: number,
  traits: DeviceTraits,
  places: Omit<PlaceOptions, "place">,
  uniforms: KernelOptions["uniforms"],
): Loop {
  const span = GPU_WORKGROUP * AT_ONCE;
  return {
    uniforms: { vectors, ...uniforms },
    workgroupSize: [GPU_WORKGROUP],
    grid: linearGrid(Math.ceil(vectors / AT_ONCE), GPU_WORKGROUP, traits.maxWorkgroupsPerDimension),
    body: `  let first = (wid.y * grid.x + wid.x) * ${span}u;
  if (first + ${span}u <= u.vectors) {
    ${severalPlaces(places, Array.from({ length: AT_ONCE }, (_, n) => `first + ${n * GPU_WORKGROUP}u + lix`))}
    return;
  }
  for (var i = first + lix; i < u.vectors; i += ${GPU_WORKGROUP}u) {
    ${placeCode({ ...places, place: "i" })}
  }`,
  };
}
