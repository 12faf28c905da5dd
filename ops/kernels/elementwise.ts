import { type DType, isFloat } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import {
  type BufferDeclaration,
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
import type { FloatBuffer } from "./float_buffer.ts";
import { hasSimd } from "./simd.ts";
import { DIVISION, readVectors, type StridedView } from "./strided.ts";
import { variantName } from "./tensors.ts";
import { bytesOfNumbers, sliced } from "./windows.ts";

/** Invocations per workgroup. */
const WORKGROUP = 64;
const GPU_WORKGROUP = 256;
/** Vectors whose reads an invocation overlaps on GPUs, if there are enough of them to keep the whole device busy. */
const AT_ONCE = 4;
const MANY = 1 << 20;

/** Minimum number of elements per dispatch for which a dispatch costs less than windows save. */
const FEWEST_NUMBERS = 8192;
/** Maximum numbers of moving windows that are read and written: WebGPU's default limits. */
const MOST_READS = 8;
const MOST_WRITES = 4;

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
  const windows = windowsOf(options, width);
  const code = { ...places, statements: spread.statements + (options.statements ?? "") };
  const uniforms = { ...options.uniforms, ...spread.uniforms };
  const declared = declarePlaces(places);
  const kernel = defineKernel({
    name: windows === null ? name : `${name}.windows`,
    buffers: { ...(windows === null ? declared : windows.declare(declared)), ...spread.buffers, ...options.buffers },
    ...(windows === null ? {} : { slices: windows.slices }),
    prelude: `${placePrelude(places)}${spread.prelude}\n${options.prelude ?? ""}`,
    ...(traits.class !== "cpu" && fours >= MANY ? severalVectors(fours, traits, code, uniforms) : vectorLoop(
      Math.ceil((windows?.numbers ?? size) / width),
      traits,
      placeCode(code),
      width === 8 ? { fours: Math.ceil((windows?.numbers ?? size) / 4), ...uniforms } : uniforms,
    )),
  });
  return { name, kernels: [kernel], workspace: [] };
}

/** Windows of a kernel's tensors. */
interface ElementWindows {
  /** Elements per dispatch. */
  readonly numbers: number;
  readonly slices: readonly Readonly<Record<string, number>>[];
  /** Declares the tensors that are only read as uniforms, and windows of all. */
  declare(buffers: Readonly<Record<string, BufferDeclaration>>): Record<string, BufferDeclaration>;
}

/**
 * Returns the windows of a software adapter's kernel (`windows.ts`), or null if the tensors are small or not divisible, or
 * the code depends on the places of elements.
 */
function windowsOf(options: ElementwiseOptions, width: 4 | 8): ElementWindows | null {
  const { inputs, outputs, traits, type, spread = {}, buffers = {}, statements = "" } = options;
  const [reads, writes] = [Object.entries(inputs), Object.entries(outputs)];
  const size = sizeOf(type.shape);
  const code = [statements, ...writes.map(([, { value }]) => value)].join(" ");
  if (!hasSimd(traits) || size < FEWEST_NUMBERS || size % width !== 0 || /\bi\b/.test(code)) return null;
  if (Object.keys({ ...spread, ...buffers }).length > 0) return null;
  if (reads.length === 0 || reads.length > MOST_READS || writes.length > MOST_WRITES) return null;
  const bytes = (entries: readonly (readonly [string, FloatBuffer])[]) =>
    entries.map(([, { dtype }]) => bytesOfNumbers(width, dtype));
  const slicing = sliced(size / width, bytes(reads), bytes(writes));
  if (slicing === null || slicing.items * width < FEWEST_NUMBERS) return null;
  const numbers = slicing.items * width;
  const windowBytes = ({ dtype }: FloatBuffer) => bytesOfNumbers(numbers, dtype);
  const all = { ...inputs, ...outputs };
  return {
    numbers,
    slices: Array.from(
      { length: slicing.dispatches },
      (_, i) => Object.fromEntries(Object.entries(all).map(([name, buffer]) => [`${name}_`, i * windowBytes(buffer)])),
    ),
    declare: (declared) => {
      const replaced = new Set(Object.values(declared).flatMap(({ over }) => over ?? []));
      return Object.fromEntries(
        Object.entries(all).map(([name, buffer]) => {
          const declaration = declared[`${name}_`]!;
          const uniform = name in inputs && !replaced.has(`${name}_`);
          return [`${name}_`, {
            ...declaration,
            window: windowBytes(buffer),
            ...uniform ? { access: "uniform" as const } : {},
          }];
        }),
      );
    },
  };
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
