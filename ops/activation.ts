import type { ElementwiseForm, OpDef, OpFacts } from "../runtime/graph/op.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { floatOf, outputOf } from "./kernels/tensors.ts";

/** A function of one tensor, element by element, with its derivative. Expressions are WGSL over `vec4<f32>`. */
export interface ActivationOptions<A> {
  /** Name of the op; its gradient is `<type>_grad`. */
  readonly type: string;
  readonly aliases?: OpFacts["aliases"];
  /** Part of the kernels' name for what the attributes change in their code. */
  readonly variant?: (attrs: A) => string;
  /** Value, from `x`. */
  readonly value: (attrs: A) => string;
  /** Which tensor the derivative is computed from: the input `x` or the output `y`. */
  readonly derivativeFrom: "x" | "y";
  /** Gradient of the input, from `dy` and {@linkcode derivativeFrom}. */
  readonly gradient: (attrs: A) => string;
  /** Functions that the expressions call. */
  readonly prelude?: (attrs: A) => readonly string[];
  /** Floating-point operations per element, forward and backward; one of `min`, `max`, `exp` or `sqrt` is one. */
  readonly flops: readonly [number, number] | ((attrs: A) => readonly [number, number]);
}

/** An activation that others can apply as part of their own kernels. */
export interface ActivationOp<A> extends OpDef<A> {
  /** Which tensor the derivative is computed from. */
  readonly derivativeFrom: "x" | "y";
  readonly gradientOp: OpDef<A>;
  elementwise(attrs: A): ElementwiseForm;
  /** dx from `dy` and {@linkcode ActivationOp.derivativeFrom}. */
  derivative(attrs: A): ElementwiseForm;
}

export function isActivation(op: OpDef<never>): op is ActivationOp<never> {
  return "derivativeFrom" in op;
}

/** Defines an activation: y = f(x), dx = dy * f'(x). Types of y and dx are x's. */
export function defineActivation<A>(options: ActivationOptions<A>): ActivationOp<A> {
  const gradientType = `${options.type}_grad`;
  const kernelName = (type: string, attrs: A) => {
    const variant = options.variant?.(attrs) ?? "";
    return variant === "" ? type : `${type}.${variant}`;
  };
  const { flops } = options;
  const flopsOf = (attrs: A) => typeof flops === "function" ? flops(attrs) : flops;
  const elementwise = (attrs: A): ElementwiseForm => ({
    name: kernelName(options.type, attrs),
    inputs: ["x"],
    value: options.value(attrs),
    prelude: options.prelude?.(attrs) ?? [],
    flops: flopsOf(attrs)[0],
  });
  const derivative = (attrs: A): ElementwiseForm => ({
    name: kernelName(gradientType, attrs),
    inputs: ["dy", options.derivativeFrom],
    value: options.gradient(attrs),
    prelude: options.prelude?.(attrs) ?? [],
    flops: flopsOf(attrs)[1],
  });

  /** Inputs `dy` and x or y; output dx. */
  const gradientOp: OpDef<A> = {
    type: gradientType,
    precision: "follow",
    shape: ([, saved]) => [saved!],
    cost: (inputs, outputs, attrs) => ({
      flops: flopsOf(attrs)[1] * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    elementwise: derivative,
    inPlace: overInputs,
    candidates: (context) => [formKernel(derivative(context.attrs), context)],
  };

  return {
    type: options.type,
    precision: "follow",
    aliases: options.aliases ?? {},
    gradientOp,
    derivativeFrom: options.derivativeFrom,
    shape: ([x]) => {
      floatOf(x!, options.type);
      return [x!];
    },
    cost: (inputs, outputs, attrs) => ({
      flops: flopsOf(attrs)[0] * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient: (node, [dy], needs) => {
      if (!dy || !needs[0]) return [null];
      const saved = options.derivativeFrom === "x" ? node.inputs[0]! : outputOf(node, 0);
      return dy.graph.apply(gradientOp, node.attrs, [dy, saved]);
    },
    elementwise,
    derivative,
    inPlace: overInputs,
    candidates: (context) => [formKernel(elementwise(context.attrs), context)],
  };
}

/** Attributes of an op that has none. */
export type NoAttrs = Readonly<Record<never, never>>;
