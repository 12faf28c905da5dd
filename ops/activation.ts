import type { KernelContext, OpDef } from "../runtime/graph/op.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { bytesOf } from "./buffers.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";

/** A function of one tensor, element by element, with its derivative. Expressions are WGSL over `vec4<f32>`. */
export interface ActivationOptions<A> {
  /** Name of the op; its gradient is `<type>_grad`. */
  readonly type: string;
  /** Part of the kernels' name for what the attributes change in their code. */
  readonly variant?: (attrs: A) => string;
  /** Value, from `x`. */
  readonly value: (attrs: A) => string;
  /** Which tensor the derivative is computed from: the input `x` or the output `y`. */
  readonly derivativeFrom: "x" | "y";
  /** Gradient of the input, from `dy` and {@linkcode derivativeFrom}. */
  readonly gradient: (attrs: A) => string;
  /** Functions that the expressions call. */
  readonly prelude?: (attrs: A) => string;
  /** Floating-point operations per element, forward and backward. */
  readonly flops: readonly [number, number];
}

/** Defines an activation: y = f(x), dx = dy * f'(x). Types of y and dx are x's. */
export function defineActivation<A>(options: ActivationOptions<A>): OpDef<A> {
  const kernelName = (type: string, attrs: A) => {
    const variant = options.variant?.(attrs) ?? "";
    return variant === "" ? type : `${type}.${variant}`;
  };
  const prelude = (attrs: A) => options.prelude?.(attrs) ?? "";
  const gradientType = `${options.type}_grad`;

  /** Inputs `dy` and x or y; output dx. */
  const gradientOp: OpDef<A> = {
    type: gradientType,
    dtypeRule: "follow",
    shape: ([, saved]) => [saved!],
    cost: (inputs, outputs) => ({
      flops: options.flops[1] * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates: (context: KernelContext<A>) => [elementwise({
      name: kernelName(gradientType, context.attrs),
      traits: context.traits,
      type: context.outputs[0]!,
      inputs: { dy: inputBuffer(context.inputs, 0), [options.derivativeFrom]: inputBuffer(context.inputs, 1) },
      outputs: { dx: { ...outputBuffer(context.outputs, 0), value: options.gradient(context.attrs) } },
      prelude: prelude(context.attrs),
    })],
  };

  return {
    type: options.type,
    dtypeRule: "follow",
    shape: ([x]) => {
      floatOf(x!, options.type);
      return [x!];
    },
    cost: (inputs, outputs) => ({
      flops: options.flops[0] * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient: (node, [dy], needs) => {
      if (!dy || !needs[0]) return [null];
      const saved = options.derivativeFrom === "x" ? node.inputs[0]! : outputOf(node, 0);
      return dy.graph.apply(gradientOp, node.attrs, [dy, saved]);
    },
    candidates: (context) => [elementwise({
      name: kernelName(options.type, context.attrs),
      traits: context.traits,
      type: context.outputs[0]!,
      inputs: { x: inputBuffer(context.inputs, 0) },
      outputs: { y: { ...outputBuffer(context.outputs, 0), value: options.value(context.attrs) } },
      prelude: prelude(context.attrs),
    })],
  };
}

/** Attributes of an op that has none. */
export type NoAttrs = Readonly<Record<never, never>>;
