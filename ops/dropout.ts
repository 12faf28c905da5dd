import { InputError } from "../runtime/core/errors.ts";
import { hashText } from "../runtime/core/random.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef } from "../runtime/graph/op.ts";
import type { Tensor } from "../runtime/graph/tensor.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { PCG4D } from "./kernels/random.ts";
import { floatOf } from "./kernels/tensors.ts";

export interface DropoutAttrs {
  /** Probability that an element is dropped, in [0, 1). */
  readonly p: number;
}

/** Attributes of the gradient: those of the forward node and the key of its draws. */
export interface DropoutGradAttrs extends DropoutAttrs {
  readonly key: number;
}

/**
 * y = x / (1 - p) where a draw keeps the element, 0 elsewhere. The draw of element e, in memory order, is lane e mod 4 of
 * `pcg4d(seed, step, key, floor(e / 4))`: the sequence of `RandomStream(seed, step, key)`. Inputs: x, step state.
 */
export const dropoutOp: OpDef<DropoutAttrs> = {
  type: "dropout",
  dtypeRule: "follow",
  random: true,
  shape([x], { p }) {
    floatOf(x!, "dropout");
    checkProbability(p);
    return [x!];
  },
  cost: ([x], outputs) => ({ flops: sizeOf(x!.shape), bytes: bytesOf(x, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const attrs = { ...node.attrs, key: hashText(node.id) };
    return [dy.graph.apply(dropoutGradOp, attrs, [dy, node.inputs[1]!])[0]!, null];
  },
  elementwise: (attrs, randomKey) => form("dropout", attrs, randomKey),
  inPlace: overInputs,
  candidates: (context) => [formKernel(form("dropout", context.attrs, context.randomKey), context)],
};

/** dx = dy / (1 - p) where the forward node kept the element, 0 elsewhere. Inputs: dy, step state. */
export const dropoutGradOp: OpDef<DropoutGradAttrs> = {
  type: "dropout_grad",
  dtypeRule: "follow",
  shape: ([dy]) => [dy!],
  cost: ([dy], outputs) => ({ flops: sizeOf(dy!.shape), bytes: bytesOf(dy, ...outputs) }),
  elementwise: (attrs) => form("dropout_grad", attrs, attrs.key),
  inPlace: overInputs,
  candidates: (context) => [formKernel(form("dropout_grad", context.attrs, context.attrs.key), context)],
};

/** Drops elements with probability `p` in training and scales the rest by 1 / (1 - p); the input itself otherwise. */
export function dropout(x: Tensor, p = 0.5): Tensor {
  checkProbability(p);
  if (x.graph.mode === "infer" || p === 0) return x;
  return x.graph.apply(dropoutOp, { p }, [x, x.graph.stepState()])[0]!;
}

function checkProbability(p: number): void {
  if (!(p >= 0 && p < 1)) {
    throw new InputError(`dropout expects a probability of at least 0 and below 1, got ${p}`);
  }
}

function form(name: string, { p }: DropoutAttrs, key: number): ElementwiseForm {
  return {
    name,
    inputs: ["x", { buffer: "state", type: "u32" }],
    // a draw is a multiple of 2^-24, so comparing integers is exact
    uniforms: { key, dropBelow: Math.ceil(p * 2 ** 24), scale: { f32: 1 / (1 - p) } },
    prelude: [PCG4D],
    statements:
      "let kept = (pcg4d(vec4<u32>(state[0], state[1], u.key, i)) >> vec4<u32>(8u)) >= vec4<u32>(u.dropBelow);",
    value: "select(vec4<f32>(0.0), x * u.scale, kept)",
    flops: 1,
  };
}
