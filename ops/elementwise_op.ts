/**
 * Elementwise ops of one or several tensors and numbers, with NumPy broadcasting.
 *
 * @module
 */
import { isFloat } from "../runtime/core/dtype.ts";
import { InputError } from "../runtime/core/errors.ts";
import { isInstance } from "../runtime/core/is_instance.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { FormCode } from "../runtime/graph/form_code.ts";
import { type ElementwiseForm, type OpDef, type OpFacts, type PrecisionRule, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { cast } from "./cast.ts";
import { argument } from "./check_arguments.ts";
import { gradientAliases } from "./gradient_aliases.ts";
import { applyIntegers, fitsIntegers, type IntegerForm } from "./integer_elementwise.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { floatOf, outputOf } from "./kernels/tensors.ts";
import { broadcastShape, sumTo } from "./sum.ts";

/** A tensor, or a number, which is broadcast. */
export type Operand = Tensor | number;

export interface ElementwiseAttrs {
  /** The number at each operand's position; null for a tensor. Absent if all operands are tensors. */
  readonly numbers?: readonly (number | null)[];
}

export interface ElementwiseGradientAttrs extends ElementwiseAttrs {
  /** Position of the operand whose gradient is computed. */
  readonly operand: number;
}

/** Derivative with respect to an operand. */
export interface ElementwiseDerivative {
  /** Operands that the value reads in addition to `dy`; `y` is the op's output. */
  readonly from: readonly string[];
  /** WGSL over `vec4<f32>`. `dy` alone adds no kernel. */
  readonly value: string;
  readonly flops: number;
}

/** An elementwise function and its derivatives. Expressions are WGSL over `vec4<f32>`. */
export interface ElementwiseOptions {
  /** Name of the op; its gradient is `<type>_grad`. */
  readonly type: string;
  readonly aliases?: OpFacts["aliases"];
  /** Default: `follow`. */
  readonly precision?: PrecisionRule;
  /** Names of the operands in the expressions. */
  readonly operands: readonly string[];
  /** Operands whose element type need not be that of the others. */
  readonly conditions?: readonly string[];
  /** The output as an expression of the operands. */
  readonly value: string;
  /** Functions that the expressions call. */
  readonly prelude?: readonly string[];
  /** Derivative of each operand by name; an operand without one has the gradient 0. */
  readonly gradients: Readonly<Record<string, ElementwiseDerivative>>;
  /** Floating-point operations per element; each function counts as one. */
  readonly flops: number;
  /** Element type of the result for i32 operands; absent if the op takes floats only. */
  readonly integers?: "i32" | "f32";
  /** WGSL of the value over `vec4<i32>` if it differs. */
  readonly integerValue?: string;
  /** True for an op of a script; see {@linkcode OpDef.ownOps}. */
  readonly own?: boolean;
}

export interface ElementwiseOp extends OpDef<ElementwiseAttrs> {
  readonly gradientOp: OpDef<ElementwiseGradientAttrs>;
  readonly operands: readonly string[];
  readonly conditions: readonly string[];
  /** The function of i32 operands; null if the op takes floats only. */
  readonly integers: IntegerForm | null;
  elementwise(attrs: ElementwiseAttrs): ElementwiseForm;
}

/** Defines an elementwise op and the op of its gradients. Inputs: the operands that are tensors. */
export function defineElementwise(options: ElementwiseOptions): ElementwiseOp {
  const { type, operands, gradients, conditions = [] } = options;
  const prelude = options.prelude ?? [];
  const own = options.own === true ? { own: type } : {};
  const ownOps = options.own === true ? { ownOps: () => [type] } : {};
  const tensorsOf = ({ numbers }: ElementwiseAttrs) => operands.filter((_, i) => numbers?.[i] == null);

  const elementwise = (attrs: ElementwiseAttrs): ElementwiseForm =>
    withNumbers(options, attrs, operands, {
      name: type,
      inputs: tensorsOf(attrs),
      value: options.value,
      prelude,
      flops: options.flops,
      ...own,
    });

  const derivative = (attrs: ElementwiseGradientAttrs): ElementwiseForm => {
    const name = operands[attrs.operand]!;
    const { from, value, flops } = gradients[name]!;
    return withNumbers(options, attrs, from, {
      name: operands.length === 1 ? `${type}_grad` : `${type}_grad.${name}`,
      inputs: ["dy", ...savedOf(from, attrs)],
      value,
      prelude,
      flops,
      ...own,
    });
  };
  const savedOf = (from: readonly string[], attrs: ElementwiseAttrs) => {
    const tensors = tensorsOf(attrs);
    return from.filter((name) => name === "y" || tensors.includes(name));
  };

  /** Gradient of one operand before the sum over the dimensions along which it was broadcast. Inputs: dy, saved. */
  const gradientOp: OpDef<ElementwiseGradientAttrs> = {
    type: `${type}_grad`,
    precision: options.precision ?? "follow",
    aliases: gradientAliases(options.aliases),
    shape: ([dy]) => [dy!],
    cost: (inputs, outputs, attrs) => ({
      flops: derivative(attrs).flops * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    ...ownOps,
    elementwise: derivative,
    inPlace: overInputs,
    candidates: (context) => [formKernel(derivative(context.attrs), context)],
  };

  return {
    type,
    precision: options.precision ?? "follow",
    aliases: options.aliases ?? {},
    gradientOp,
    operands,
    conditions,
    integers: options.integers === undefined ? null : {
      name: type,
      operands,
      conditions,
      value: options.integerValue ?? options.value,
      dtype: options.integers,
    },
    shape: (inputs, attrs) => [resultType(type, inputs, tensorsOf(attrs).map((name) => !conditions.includes(name)))],
    cost: (inputs, outputs) => ({
      flops: options.flops * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient(node, [dy], needs) {
      if (!dy) return node.inputs.map(() => null);
      const names = tensorsOf(node.attrs);
      return names.map((name, input) => {
        const gradient = gradients[name];
        if (!needs[input] || gradient === undefined) return null;
        if (gradient.value === "dy") return sumTo(dy, node.inputs[input]!.type);
        const saved = savedOf(gradient.from, node.attrs)
          .map((saved) => saved === "y" ? outputOf(node, 0) : node.inputs[names.indexOf(saved)]!);
        const attrs = { ...node.attrs, operand: operands.indexOf(name) };
        const [dx] = dy.graph.apply(gradientOp, attrs, [dy, ...saved]);
        return sumTo(dx!, node.inputs[input]!.type);
      });
    },
    ...ownOps,
    elementwise,
    inPlace: overInputs,
    candidates: (context) => [formKernel(elementwise(context.attrs), context)],
  };
}

/**
 * Checks that a function was called with no more tensors than its op has operands: `add(a, b, c)` would drop `c`. A list's
 * `reduce(add)` also passes an index and the list.
 *
 * @throws {InputError} naming the op
 */
export function checkOperands({ type, operands }: ElementwiseOp, given: ArrayLike<unknown>): void {
  if (!isInstance(given[operands.length], Tensor)) return;
  throw new InputError(`${type}: expected ${operands.length} operands, got a tensor after them; apply it once more`);
}

/**
 * Applies an elementwise op to tensors and numbers, at least one of them a tensor. i32 operands beside whole numbers are
 * computed exactly; beside fractions in f32, and rounded to i32 again unless the op compares them.
 *
 * @throws {InputError} if an operand is neither, or the shapes or element types do not fit together
 */
export function applyElementwise(op: ElementwiseOp, operands: readonly Operand[]): Tensor {
  for (const operand of operands as readonly unknown[]) {
    if (isInstance(operand, Tensor) || (typeof operand === "number" && Number.isFinite(operand))) continue;
    throw new InputError(`${op.type}: expected tensors or finite numbers, got ${argument(operand)}`);
  }
  return applyOperands(op, operands);
}

/** Applies an elementwise op like {@linkcode applyElementwise}, to numbers that may be infinite. */
export function applyOperands(op: ElementwiseOp, operands: readonly Operand[]): Tensor {
  const tensors = operands.filter((operand) => isInstance(operand, Tensor));
  if (tensors.length === 0) throw new InputError(`${op.type}: expected at least one tensor, got only numbers`);
  const numbers = operands.map((operand) => typeof operand === "number" ? operand : null);
  const attrs = tensors.length === operands.length ? {} : { numbers };
  const isCondition = (i: number) => op.conditions.includes(op.operands[i]!);
  const values = operands.filter((operand, i) => isInstance(operand, Tensor) && !isCondition(i)) as Tensor[];
  const integers = op.integers !== null && values.length > 0 && values.every(({ dtype }) => dtype === "i32");
  if (integers && numbers.every((number) => number === null || fitsIntegers(number))) {
    return applyIntegers(op.integers!, operands);
  }
  const wide = integers && op.integers!.dtype === "i32"
    ? numbers.find((number) => Number.isInteger(number))
    : undefined;
  if (wide != null && !fitsIntegers(wide)) {
    throw new InputError(`${op.type}: expected numbers of 32 bits beside integers, got ${wide}`);
  }
  const inputs = integers ? tensors.map((tensor) => tensor.dtype === "i32" ? cast(tensor, "f32") : tensor) : tensors;
  const y = tensors[0]!.graph.apply(op, attrs, inputs)[0]!;
  return integers && op.integers!.dtype === "i32" ? cast(y, "i32") : y;
}

/** Adds the numbers among `names` to a form, as uniforms. */
function withNumbers(
  { operands }: ElementwiseOptions,
  { numbers = [] }: ElementwiseAttrs,
  names: readonly string[],
  form: ElementwiseForm,
): ElementwiseForm {
  const given = names.filter((name) => numbers[operands.indexOf(name)] != null);
  if (given.length === 0) return form;
  return {
    ...form,
    name: `${form.name}.number`,
    uniforms: Object.fromEntries(given.map((name) => [name, { f32: numbers[operands.indexOf(name)]! }])),
    statements: new FormCode(({ uniform }) =>
      given.map((name) => `let ${name} = vec4<f32>(${uniform(name)});`).join(" ")
    ),
  };
}

/** Returns the type of the broadcast inputs; `typed[i]` is true for an input that has the output's element type. */
function resultType(type: string, inputs: readonly TensorType[], typed: readonly boolean[]): TensorType {
  const values = inputs.filter((_, i) => typed[i]);
  for (const input of values) floatOf(input, type, inputs.length === 1 ? "its input" : "both inputs");
  const dtype = [...values, ...inputs].find((input) => isFloat(input.dtype))?.dtype ?? "f32";
  const other = values.find((input) => input.dtype !== dtype);
  if (other !== undefined) {
    throw new InputError(`${type} expects tensors of the same type, got ${dtype} and ${other.dtype}; cast one of them`);
  }
  const shape = broadcastShape(type, inputs.map((input) => input.shape));
  // Weights, whose gradients are added up, have their own layouts too
  const whole = inputs.filter((input) => input.shape.length === shape.length && input.layout !== "row");
  return { shape, dtype, layout: (whole.find(isImages) ?? whole[0])?.layout ?? "row" };
}
