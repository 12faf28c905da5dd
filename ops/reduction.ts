/**
 * Ops that reduce a tensor over any of its axes.
 *
 * @module
 */
import type { DType } from "../runtime/core/dtype.ts";
import { physicalOrder } from "../runtime/core/layout.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, OpFacts, PrecisionRule, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { argument, checkFlag, checkList, checkOptions, checkTensors } from "./check_arguments.ts";
import { type ChainStep, ownOpsOf } from "./kernels/chain.ts";
import { reducePlan } from "./kernels/reduce.ts";
import type { Reducer } from "./kernels/reducer.ts";
import { floatOf, outputOf } from "./kernels/tensors.ts";
import { reshapeTo } from "./reshape.ts";
import { toLayout } from "./to_layout.ts";

/** Axes of a reduction as users write them. */
export interface ReductionOptions {
  /** Dimensions to reduce; negative ones count from the last. Default: all. */
  readonly axes?: number | readonly number[];
  /** Keeps reduced dimensions with size 1. Default: false. */
  readonly keepDims?: boolean;
}

export interface ReductionAttrs {
  /** Dimensions to reduce, in ascending order. */
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}

/** A reduction that can follow a chain of elementwise ops in one kernel. */
export interface ReductionOp extends OpDef<ReductionAttrs> {
  /** Returns the code for a reduction of `elements` elements to one. */
  reducer(elements: number): Reducer;
}

export interface ReductionOpOptions extends Pick<ReductionOp, "reducer"> {
  readonly type: string;
  readonly aliases?: OpFacts["aliases"];
  /** Element type of the output; defaults to the input's. */
  readonly dtype?: DType;
  /** Default: `wide`. */
  readonly precision?: PrecisionRule;
  /** Floating-point operations per element of the input. */
  readonly flops: number;
  /** Adds the gradient of the input x, of the output y = op(x), both dy and y with reduced dimensions of size 1. */
  readonly gradient?: (parts: { dy: Tensor; x: Tensor; y: Tensor; elements: number }, attrs: ReductionAttrs) => Tensor;
}

/** Defines a reduction. Input: x, f32 or f16. Output: the same type, sums in f32, without the reduced dimensions. */
export function defineReduction(options: ReductionOpOptions): ReductionOp {
  const { type, dtype, flops, reducer, gradient } = options;
  return {
    type,
    precision: options.precision ?? "wide",
    aliases: options.aliases ?? {},
    reducer,
    shape([x], attrs) {
      floatOf(x!, type.replace("reduce_", ""));
      return [reducedType(x!, attrs, dtype)];
    },
    cost: (inputs, outputs) => ({
      flops: flops * sizeOf(inputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient(node, [dy], needs) {
      if (!dy || !needs[0] || gradient === undefined) return [null];
      const x = node.inputs[0]!;
      const kept = reducedType(x.type, { ...node.attrs, keepDims: true });
      const y = outputOf(node, 0);
      const elements = reducedElements(x.shape, node.attrs);
      return [
        gradient({ dy: shaped(dy, kept), x, y: dtype === undefined ? shaped(y, kept) : y, elements }, node.attrs),
      ];
    },
    candidates: ({ inputs, outputs, attrs, traits }) => [reducePlan({
      reducer: reducer(reducedElements(inputs[0]!.shape, attrs)),
      axes: attrs.axes,
      space: inputs[0]!,
      steps: [],
      inputs,
      dtype: outputs[0]!.dtype,
      traits,
    })],
  };
}

/** Attributes of a reduction fused with the elementwise ops before it. */
export interface FusedReductionAttrs extends ReductionAttrs {
  readonly steps: readonly ChainStep[];
  /** Type of the last step's value. */
  readonly space: TensorType;
}

const fused = new Map<ReductionOp, OpDef<FusedReductionAttrs>>();

/** Returns `op` applied to the last value of a chain, which is not stored. Inputs: those of the chain. */
export function fusedReduction(op: ReductionOp): OpDef<FusedReductionAttrs> {
  const known = fused.get(op);
  if (known !== undefined) return known;
  const made: OpDef<FusedReductionAttrs> = {
    type: op.type,
    precision: op.precision,
    aliases: op.aliases ?? {},
    shape: (_inputs, { space, ...attrs }) => op.shape([space], attrs),
    cost: (inputs, outputs, { space, steps, ...attrs }) => ({
      flops: op.cost([space], outputs, attrs).flops +
        steps.reduce((sum, { form }) => sum + form.flops, 0) * sizeOf(space.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    ownOps: ({ steps }) => ownOpsOf(steps),
    candidates: ({ inputs, outputs, attrs, traits }) => [reducePlan({
      reducer: op.reducer(reducedElements(attrs.space.shape, attrs)),
      axes: attrs.axes,
      space: attrs.space,
      steps: attrs.steps,
      inputs,
      dtype: outputs[0]!.dtype,
      traits,
    })],
  };
  fused.set(op, made);
  return made;
}

/** Returns true for a reduction that {@linkcode fusedReduction} accepts. */
export function isReduction(op: OpDef<never>): op is ReductionOp & OpDef<never> {
  return "reducer" in op;
}

/**
 * Applies a reduction.
 *
 * @param ordered true if the result depends on the order of the elements
 * @throws {InputError} if an axis does not exist or is given twice
 */
export function applyReduction(op: ReductionOp, x: Tensor, options: ReductionOptions, ordered = false): Tensor {
  const name = op.type.replace("reduce_", "").replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  checkTensors(name, [x]);
  checkOptions(name, options, ["axes", "keepDims"]);
  const { keepDims = false } = options;
  checkFlag(name, "keepDims", keepDims);
  const axes = axesOf(name, x.shape, options.axes);
  const rows = isImages(x.type) && (ordered || (!keepDims && !keepsOrder(x.type, axes)));
  return x.graph.apply(op, { axes, keepDims }, [rows ? toLayout(x, "row") : x])[0]!;
}

/** Returns the dimensions that `axes` names, in ascending order; all if it is undefined. */
export function axesOf(op: string, shape: Shape, axes: number | readonly number[] | undefined): number[] {
  if (axes === undefined) return shape.map((_, axis) => axis);
  if (typeof axes !== "number") checkList(op, "axes as a number or a list", axes);
  const given = typeof axes === "number" ? [axes] : axes;
  const found = given.map((axis) => axisOf(op, shape, axis));
  if (new Set(found).size < found.length) {
    throw new InputError(`${op} expects each axis once, got ${formatShape(given)} for shape ${formatShape(shape)}`);
  }
  return found.sort((a, b) => a - b);
}

/** Returns the dimension that `axis` names; a negative one counts from the last. */
export function axisOf(op: string, shape: Shape, axis: number): number {
  const rank = shape.length;
  if (Number.isInteger(axis) && axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw new InputError(
    `${op} expects ${rank === 0 ? "no axis" : `an axis from ${-rank} to ${rank - 1}`} for shape ` +
      `${formatShape(shape)}, got ${argument(axis)}`,
  );
}

/** Returns the type of a reduced tensor. */
function reducedType(x: TensorType, { axes, keepDims }: ReductionAttrs, dtype: DType = x.dtype): TensorType {
  if (keepDims) return { ...x, dtype, shape: x.shape.map((n, d) => axes.includes(d) ? 1 : n) };
  return { shape: x.shape.filter((_, d) => !axes.includes(d)), dtype, layout: "row" };
}

/** Returns true if the dimensions that stay are stored in logical order. */
function keepsOrder({ shape, layout }: TensorType, axes: readonly number[]): boolean {
  const kept = physicalOrder(shape, layout).filter((d) => !axes.includes(d) && shape[d] !== 1);
  return kept.every((d, i) => i === 0 || kept[i - 1]! < d);
}

function reducedElements(shape: Shape, { axes }: ReductionAttrs): number {
  return sizeOf(axes.map((axis) => shape[axis]!));
}

function shaped(x: Tensor, type: TensorType): Tensor {
  return x.type.layout === type.layout && sameShape(x.shape, type.shape) ? x : reshapeTo(x, type);
}
