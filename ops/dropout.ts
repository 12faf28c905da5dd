import { InputError } from "../runtime/core/errors.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { shown } from "../runtime/core/shown.ts";
import { FormCode, type FormNames } from "../runtime/graph/form_code.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { inPlanes } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { PCG4D } from "./kernels/random.ts";
import { floatOf } from "./kernels/tensors.ts";

export interface DropoutAttrs {
  /** Probability that an element is dropped, in [0, 1). */
  readonly p: number;
  /** Sizes of NCHW images, which use the draws of NHWC; null to draw in memory order. */
  readonly planes: { readonly channels: number; readonly pixels: number } | null;
  /** Key of the draws; the node's own if absent. */
  readonly key?: number;
}

/** Attributes of the gradient: the forward node's attributes and the key of its draws. */
export interface DropoutGradAttrs extends DropoutAttrs {
  readonly key: number;
}

/**
 * y = x / (1 - p) where a draw keeps the element, 0 elsewhere. The draw of element e is lane e mod 4 of `pcg4d(seed,
 * step, key, floor(e / 4))`: the sequence of `RandomStream(seed, step, key)`. Elements of images are numbered in NHWC
 * order regardless of their layout, so the layout changes no draw. Inputs: x, step state.
 */
export const dropoutOp: OpDef<DropoutAttrs> = {
  type: "dropout",
  precision: "follow",
  roles: ["random"],
  shape([x], { p }) {
    floatOf(x!, "dropout");
    checkProbability(p);
    return [x!];
  },
  cost: ([x], outputs) => ({ flops: sizeOf(x!.shape), bytes: bytesOf(x, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const attrs = { ...node.attrs, key: node.attrs.key ?? node.randomKey };
    return [dy.graph.apply(dropoutGradOp, attrs, [dy, node.inputs[1]!])[0]!, null];
  },
  elementwise: (attrs, randomKey) => form("dropout", attrs, attrs.key ?? randomKey),
  inPlace: overInputs,
  candidates: ({ attrs, ...context }) => [
    formKernel(form("dropout", attrs, attrs.key ?? context.randomKey), { attrs, ...context }),
  ],
};

/** dx = dy / (1 - p) where the forward node kept the element, 0 elsewhere. Inputs: dy, step state. */
export const dropoutGradOp: OpDef<DropoutGradAttrs> = {
  type: "dropout_grad",
  precision: "follow",
  shape: ([dy]) => [dy!],
  cost: ([dy], outputs) => ({ flops: sizeOf(dy!.shape), bytes: bytesOf(dy, ...outputs) }),
  elementwise: (attrs) => form("dropout_grad", attrs, attrs.key),
  inPlace: overInputs,
  candidates: (context) => [formKernel(form("dropout_grad", context.attrs, context.attrs.key), context)],
};

/** Drops elements with probability `p` in training and scales the rest by 1 / (1 - p); returns `x` in inference. */
export function dropout(x: Tensor, p = 0.5): Tensor {
  checkProbability(p);
  if (x.graph.mode === "infer" || p === 0) return x;
  const [, channels, height, width] = x.shape;
  const planes = inPlanes(x.type) ? { channels: channels!, pixels: height! * width! } : null;
  return x.graph.apply(dropoutOp, { p, planes }, [x, x.graph.stepState()])[0]!;
}

/** Drops elements of a row-major tensor with probability `p` and the draws of a key. */
export function keyedDropout(x: Tensor, p: number, key: number): Tensor {
  return p === 0 ? x : x.graph.apply(dropoutOp, { p, planes: null, key }, [x, x.graph.stepState()])[0]!;
}

function drawsOfVector({ uniform, buffer }: FormNames): string {
  const state = buffer("state");
  return `let draws = pcg4d(vec4<u32>(${state}[0], ${state}[1], ${uniform("key")}, i));`;
}

/** Returns WGSL for NCHW: the draws of four neighbouring pixels of a channel come from four vectors. */
function drawsOfPlanes({ uniform, buffer }: FormNames): string {
  const [state, pixels, channels] = [buffer("state"), uniform("pixels"), uniform("channels")];
  return `var draws = vec4<u32>();
    for (var j = 0u; j < 4u; j++) {
      let plane = (i * 4u + j) / ${pixels};
      let pixel = plane / ${channels} * ${pixels} + (i * 4u + j) % ${pixels};
      let place = pixel * ${channels} + plane % ${channels};
      draws[j] = pcg4d(vec4<u32>(${state}[0], ${state}[1], ${uniform("key")}, place / 4u))[place % 4u];
    }`;
}

/** @throws {InputError} unless a probability of dropout is valid */
export function checkProbability(p: number): void {
  if (!(Number.isFinite(p) && p >= 0 && p < 1)) {
    throw new InputError(`dropout expects a probability of at least 0 and below 1, got ${shown(p)}`);
  }
}

function form(name: string, { p, planes }: DropoutAttrs, key: number): ElementwiseForm {
  return {
    name: planes === null ? name : `${name}.planes`,
    inputs: ["x", { buffer: "state", type: "u32" }],
    positional: true,
    // A draw is a multiple of 2^-24, so comparing integers is exact
    uniforms: { key, dropBelow: Math.ceil(p * 2 ** 24), scale: { f32: 1 / (1 - p) }, ...planes },
    prelude: [PCG4D],
    statements: new FormCode((names) =>
      `${(planes === null ? drawsOfVector : drawsOfPlanes)(names)}
    let kept = (draws >> vec4<u32>(8u)) >= vec4<u32>(${names.uniform("dropBelow")});`
    ),
    value: new FormCode(({ uniform }) => `select(vec4<f32>(0.0), x * ${uniform("scale")}, kept)`),
    flops: 1,
  };
}
