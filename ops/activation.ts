import type { ElementwiseForm, OpDef, OpFacts, PrecisionRule } from "../runtime/graph/op.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { bytesOf } from "./buffers.ts";
import { gradientAliases } from "./gradient_aliases.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { floatOf, outputOf } from "./kernels/tensors.ts";

/** An elementwise function of one tensor and its derivative. Expressions are WGSL over `vec4<f32>`. */
export interface ActivationOptions<A> {
  /** Name of the op; its gradient is `<type>_grad`. */
  readonly type: string;
  /** Default: `follow`. */
  readonly precision?: PrecisionRule;
  readonly aliases?: OpFacts["aliases"];
  /** Names of the gradient in tools that do not derive them from the op's. */
  readonly gradientAliases?: OpFacts["aliases"];
  /** Suffix of the kernels' names for attributes that change their code. */
  readonly variant?: (attrs: A) => string;
  /** The output as an expression of `x`. */
  readonly value: (attrs: A) => string;
  /** Tensor from which the derivative is computed: the input `x` or the output `y`. */
  readonly derivativeFrom: "x" | "y";
  /** Gradient of the input as an expression of `dy` and {@linkcode derivativeFrom}. */
  readonly gradient: (attrs: A) => string;
  /** Functions that the expressions call. */
  readonly prelude?: (attrs: A) => readonly string[];
  /** Floating-point operations per element, forward and backward; each `min`, `max`, `exp` and `sqrt` counts as one. */
  readonly flops: readonly [number, number] | ((attrs: A) => readonly [number, number]);
}

/** An activation that other ops can apply inside their own kernels. */
export interface ActivationOp<A> extends OpDef<A> {
  /** Tensor from which the derivative is computed. */
  readonly derivativeFrom: "x" | "y";
  readonly gradientOp: OpDef<A>;
  elementwise(attrs: A): ElementwiseForm;
  /** Returns the code of dx, with `dy` and {@linkcode ActivationOp.derivativeFrom} as inputs. */
  derivative(attrs: A): ElementwiseForm;
}

export function isActivation(op: OpDef<never>): op is ActivationOp<never> {
  return "derivativeFrom" in op;
}

/** Defines an activation and its gradient op: y = f(x), dx = dy f'(x). Both y and dx have the type of x. */
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

  /** Inputs: dy, and x or y. Output: dx. */
  const gradientOp: OpDef<A> = {
    type: gradientType,
    precision: options.precision ?? "follow",
    aliases: { ...gradientAliases(options.aliases), ...options.gradientAliases },
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
    precision: options.precision ?? "follow",
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

/** Attributes of an op without attributes. */
export type NoAttrs = Readonly<Record<never, never>>;
