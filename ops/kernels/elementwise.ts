import { sizeOf } from "../../runtime/core/shape.ts";
import {
  defineKernel,
  type KernelOptions,
  type KernelPlan,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { declarePlaces, inPairs, placeCode, type PlaceOptions, placePrelude, severalPlaces } from "./elements.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { variantName } from "./tensors.ts";

/** Invocations per workgroup. */
const WORKGROUP = 64;
const GPU_WORKGROUP = 256;
/** Vectors whose reads an invocation overlaps on GPUs, if there are enough of them to keep the whole device busy. */
const AT_ONCE = 4;
const MANY = 1 << 20;

export interface ElementwiseOptions {
  /** Family of the kernel, such as `relu`. */
  readonly name: string;
  readonly traits: DeviceTraits;
  /** Type of one of the tensors; all have the same number of elements in the same order. */
  readonly type: TensorType;
  /** Tensors to read; each is a `vec4<f32>` of its name in the expressions. */
  readonly inputs: Readonly<Record<string, FloatBuffer>>;
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
  const name = `${options.name}.${variantName(tensors, width)}`;
  const places = { width, place: "i", reads: inputs, writes: outputs, vectors: "u.fours" } as const;
  const fours = Math.ceil(sizeOf(options.type.shape) / 4);
  const code = { ...places, statements: options.statements ?? "" };
  const kernel = defineKernel({
    name,
    buffers: { ...declarePlaces(places), ...options.buffers },
    prelude: `${placePrelude(places)}\n${options.prelude ?? ""}`,
    ...(traits.class !== "cpu" && fours >= MANY ? severalVectors(fours, traits, code, options.uniforms) : vectorLoop(
      Math.ceil(sizeOf(options.type.shape) / width),
      traits,
      placeCode(code),
      width === 8 ? { fours, ...options.uniforms } : options.uniforms,
    )),
  });
  return { name, kernels: [kernel], workspace: [] };
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
