/**
 * Division of a reduction among invocations. It depends on the shape and the class of adapter only.
 *
 * @module
 */
import { physicalOrder } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { leastParts } from "./loop_limit.ts";
import { type StridedView, stridesOf } from "./strided.ts";
import { powerOfTwoBelow, TEAM_SIZE } from "./team.ts";

export interface ReduceShares {
  /** The four elements of a vector. `rows`: of one output; `columns`: of neighbouring outputs; `single`: of any outputs. */
  readonly mode: "rows" | "columns" | "single";
  readonly outputs: number;
  /** Outputs, or vectors or pairs of vectors of outputs. */
  readonly units: number;
  /** Elements, or vectors or pairs of vectors of elements, that are reduced to a unit. */
  readonly terms: number;
  /** True if loads are pairs of vectors of four, which is how software adapters read f16. */
  readonly pairs: boolean;
  /** First element, vector or pair of a unit, and the distance to each of its terms. */
  readonly unit: StridedView;
  readonly term: StridedView;
  readonly members: number;
  readonly splits: number;
  /** Neighbouring splits that take turns, so that lanes which run together read neighbours. */
  readonly together: number;
}

/** Lanes that a software adapter runs as one vector. */
const SIDE = 8;

/**
 * Terms of a part on software adapters if they are far from each other in memory: few enough that their neighbours, which
 * other lanes read next, are still in the cache.
 */
const NEAR = 64;

/** @param inputs tensors that are read */
export function sharesOf(
  axes: readonly number[],
  space: TensorType,
  inputs: readonly TensorType[],
  traits: DeviceTraits,
): ReduceShares {
  const dims = mergedDims(axes, space);
  const viewOf = (reduced: boolean): StridedView => {
    const own = dims.filter((dim) => dim.reduced === reduced);
    return { sizes: own.map(({ size }) => size), strides: own.map(({ stride }) => stride), offset: 0 };
  };
  const [kept, reduced] = [viewOf(false), viewOf(true)];
  const [outputs, length] = [sizeOf(kept.sizes), sizeOf(reduced.sizes)];
  const inner = dims.at(-1);
  const along = inner?.reduced === true;
  const alone = traits.class === "cpu";
  const halves = alone && inputs.some(({ dtype }) => dtype === "f16");
  const whole = inner !== undefined && inner.size % 4 === 0;
  const mode = !whole ? "single" : along ? "rows" : "columns";
  const pairs = mode !== "single" && inner!.size % 8 === 0 && halves;
  const step = pairs ? 8 : 4;
  const units = mode === "rows" ? outputs : Math.ceil(outputs / (mode === "columns" ? step : 4));
  const terms = mode === "rows" ? length / step : length;
  const members = alone || !along || terms < 32 ? 1 : Math.max(32, powerOfTwoBelow(Math.min(TEAM_SIZE, terms / 4)));
  return {
    mode,
    outputs,
    units,
    terms,
    pairs,
    unit: whole ? inVectors(kept, step) : kept,
    term: whole ? inVectors(reduced, step) : reduced,
    members,
    ...splitsOf(units, terms, members, along, traits),
  };
}

/** Returns the dimensions in the order of memory, with neighbours of a kind merged: the elements are contiguous. */
function mergedDims(axes: readonly number[], { shape, layout }: TensorType) {
  const strides = stridesOf({ shape, layout, dtype: "f32" });
  const dims: { size: number; stride: number; reduced: boolean }[] = [];
  for (const d of physicalOrder(shape, layout)) {
    const size = shape[d]!;
    if (size === 1) continue;
    const reduced = axes.includes(d);
    const outer = dims.at(-1);
    if (outer?.reduced === reduced) dims.splice(-1, 1, { size: outer.size * size, stride: strides[d]!, reduced });
    else dims.push({ size, stride: strides[d]!, reduced });
  }
  return dims;
}

/** Returns a view in vectors of `step` numbers; the dimension with stride 1, if any, is that many times as short. */
function inVectors({ sizes, strides }: StridedView, step: 4 | 8): StridedView {
  const short = sizes.map((size, d) => strides[d] === 1 ? size / step : size);
  // Addresses need no dimension of a single vector
  const long = short.flatMap((size, d) => size > 1 ? [d] : []);
  return {
    sizes: long.map((d) => short[d]!),
    strides: long.map((d) => strides[d] === 1 ? 1 : strides[d]! / step),
    offset: 0,
  };
}

/**
 * Returns the number of parts of each reduction, enough to keep a device busy with at least 16 terms in each, and as many
 * as the loop limit of a software adapter requires.
 */
function splitsOf(units: number, terms: number, members: number, along: boolean, traits: DeviceTraits) {
  const wanted = traits.class === "cpu" ? 256 : members > 1 ? 384 : 16384;
  const most = Math.min(Math.floor(terms / members / 16), 256);
  const near = traits.class === "cpu" && !along ? Math.floor(terms / NEAR) : 0;
  const least = leastParts(terms, traits);
  const splits = Math.max(1, least, Math.min(Math.max(Math.ceil(wanted / units), near), most));
  // A single output's parts are neighbouring lanes
  if (traits.class === "cpu" && units === 1 && splits >= SIDE) {
    return { splits: Math.max(Math.floor(splits / SIDE), Math.ceil(least / SIDE)) * SIDE, together: SIDE };
  }
  return { splits: Math.ceil(terms / Math.ceil(terms / splits)), together: 1 };
}
