import { sizeOf } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelOptions, type KernelPlan, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { declarePlaces, inPairs, placeCode, placePrelude } from "./elements.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { variantName } from "./tensors.ts";

/** Invocations of a workgroup. */
const WORKGROUP = 64;

export interface ElementwiseOptions {
  /** Family of the kernel, such as `relu`. */
  readonly name: string;
  readonly traits: DeviceTraits;
  /** A tensor of the op; all tensors have as many elements, in the same order. */
  readonly type: TensorType;
  /** Tensors that are read; each is a `vec4<f32>` of its name in the expressions. */
  readonly inputs: Readonly<Record<string, FloatBuffer>>;
  /** Tensors that are written, each with the expression of its value, a `vec4<f32>`. */
  readonly outputs: Readonly<Record<string, FloatBuffer & { readonly value: string }>>;
  /** Further storage buffers, declared as `defineKernel` takes them. */
  readonly buffers?: KernelOptions["buffers"];
  /** Fields of `u` that expressions use; `vectors`, `perLane` and `fours` are taken. */
  readonly uniforms?: KernelOptions["uniforms"];
  readonly prelude?: string;
  /** Statements before the values are computed; they see `i`, the number of this vector of four elements. */
  readonly statements?: string;
}

/**
 * A kernel that computes each element from the elements at the same place: four or eight at a time, several times to a lane
 * on software adapters, where a lane's overhead counts. The last place may reach into the padding of its buffers.
 */
export function elementwise(options: ElementwiseOptions): KernelPlan {
  const { traits, inputs, outputs } = options;
  const tensors = { ...inputs, ...outputs };
  const width = inPairs(tensors, traits) ? 8 : 4;
  const name = `${options.name}.${variantName(tensors, width)}`;
  const places = { width, place: "i", reads: inputs, writes: outputs, vectors: "u.fours" } as const;
  const fours = Math.ceil(sizeOf(options.type.shape) / 4);
  const kernel = defineKernel({
    name,
    buffers: { ...declarePlaces(places), ...options.buffers },
    prelude: `${placePrelude(places)}\n${options.prelude ?? ""}`,
    ...vectorLoop(
      Math.ceil(sizeOf(options.type.shape) / width),
      traits,
      placeCode({ ...places, statements: options.statements ?? "" }),
      width === 8 ? { fours, ...options.uniforms } : options.uniforms,
    ),
  });
  return { name, kernels: [kernel], workspace: [] };
}

/**
 * The body and grid of a kernel that runs `each` for every `i` below `vectors`, with the uniforms they need besides the
 * given ones. Eight lanes, which software adapters run as one, read memory from one end to the other: twice as fast there as
 * a workgroup that takes turns.
 */
export function vectorLoop(
  vectors: number,
  traits: DeviceTraits,
  each: string,
  uniforms: KernelOptions["uniforms"] = {},
): Pick<KernelOptions, "body" | "grid" | "uniforms" | "workgroupSize"> {
  const perLane = traits.class === "cpu" ? 16 : 1;
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
