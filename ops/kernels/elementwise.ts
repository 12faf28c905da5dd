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

/** Invocations of a workgroup on software adapters and on GPUs. */
const WORKGROUP = 64;
const GPU_WORKGROUP = 256;
/** Vectors that an invocation of a GPU reads at once, of so many that all of the device has work without. */
const AT_ONCE = 4;
const MANY = 1 << 20;

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
 * The body and grid of a kernel that runs `each` for every `i` below `vectors`, with the uniforms they need besides the
 * given ones. Eight lanes, which software adapters run as one, read memory from one end to the other: twice as fast there as
 * a workgroup that takes turns. On GPUs a lane takes one.
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

/** As {@linkcode vectorLoop}, for GPUs: invocations side by side take neighbours, each several that are read at once. */
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
