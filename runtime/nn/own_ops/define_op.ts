import { toLayout } from "../../../ops/to_layout.ts";
import { isInstance } from "../../core/is_instance.ts";
import { suggestion } from "../../core/nearest.ts";
import { shown } from "../../core/shown.ts";
import { type OpDef, Tensor } from "../../graph/op.ts";
import { type ImageLayout, isImages } from "../../graph/types.ts";
import { kindOf } from "../layer.ts";
import type {
  AnyKernelOp,
  ElementwiseOpDefinition,
  ElementwiseOwnOp,
  KernelOp,
  KernelOpDefinition,
  OpOptions,
  TensorNames,
} from "./definition.ts";
import { elementwiseOp } from "./elementwise.ts";
import { kernelOp } from "./kernel_op.ts";
import { claimType, opError } from "./problem.ts";
import { checkDefinition } from "./schema.ts";

/**
 * Defines an op of your own: an elementwise one by WGSL for a value and its derivatives, or any op by its shape rule,
 * cost, gradient and kernels. The result is a function of tensors to use inside layers. Reports, roofline, mixed
 * precision and autotune treat the op like Tacho's. Define an op once, outside of functions that run more than once.
 *
 * @example An elementwise op, which fuses with its neighbours
 * ```ts
 * import { defineOp, layer } from "@tacho/tacho";
 *
 * const squareplus = defineOp({
 *   type: "squareplus",
 *   inputs: ["x", "b"],
 *   value: "0.5 * (x + sqrt(x * x + b))",
 *   flops: 5,
 *   gradients: { x: { value: "dy * 0.5 * (1.0 + x / sqrt(x * x + b))", flops: 7 }, b: null },
 * });
 *
 * const activation = layer((x) => squareplus(x, 4));
 * ```
 *
 * @example An op with a kernel
 * ```ts
 * import { defineOp, mul } from "@tacho/tacho";
 *
 * const rowSquares = defineOp({
 *   type: "row_squares",
 *   inputs: ["x"],
 *   shape: ({ x }) => ({ y: [...x.shape.slice(0, -1), 1] }),
 *   cost: ({ x }) => 2 * x.size,
 *   precision: "wide",
 *   gradient: ({ inputs, gradients }) => ({ x: mul(mul(inputs.x, 2), gradients.y) }),
 *   kernels: [{
 *     name: "rows",
 *     uniforms: ({ x }) => ({ width: x.shape.at(-1)! }),
 *     invocations: ({ y }) => y.size,
 *     code: `
 *       var sum = 0.0;
 *       for (var i = 0u; i < u.width; i++) {
 *         let v = load_x(index * u.width + i);
 *         sum += v * v;
 *       }
 *       store_y(index, sum);`,
 *   }],
 * });
 * ```
 *
 * @throws {InputError} naming the op and the fix, if the definition is wrong; on application, if the tensors do not fit
 */
export function defineOp<const I extends TensorNames>(definition: ElementwiseOpDefinition<I>): ElementwiseOwnOp<I>;
export function defineOp<
  const I extends TensorNames,
  const O extends TensorNames = readonly ["y"],
  A extends OpOptions = Readonly<Record<never, never>>,
>(definition: KernelOpDefinition<I, O, A>): KernelOp<I, O, A>;
export function defineOp(definition: object): unknown {
  const checked = checkDefinition(definition);
  const apply = "elementwise" in checked ? elementwiseOp(checked.elementwise) : applier(checked.kernels);
  const { type, inputs } = "elementwise" in checked ? checked.elementwise : checked.kernels;
  return Object.assign(apply, { type, inputs });
}

function applier(definition: AnyKernelOp): (...args: readonly unknown[]) => Tensor | readonly Tensor[] {
  const { type, inputs, outputs = ["y"], options = {} } = definition;
  const op: OpDef<OpOptions> = kernelOp(definition);
  return (...args) => {
    const tensors = inputs.map((name, i) => tensorOf(type, name, args[i], inputs));
    if (args.length > inputs.length + 1) {
      throw opError(
        type,
        `expected ${inputs.length} tensors (${inputs.join(", ")}) and options, got ${args.length} arguments`,
      );
    }
    const attrs = optionsOf(type, options, args[inputs.length]);
    const [{ graph }] = tensors as [Tensor];
    claimType(graph, type, op);
    const images = tensors.find(({ type }) => isImages(type))?.type.layout as ImageLayout | undefined;
    const made = graph.apply(op, attrs, tensors.map(inLogicalOrder))
      .map((y) => images !== undefined && isImages(y.type) ? toLayout(y, images) : y);
    return outputs.length === 1 ? made[0]! : made;
  };
}

/** Returns images stored in the order of n, c, h, w; other tensors as they are. */
function inLogicalOrder(x: Tensor): Tensor {
  return isImages(x.type) ? toLayout(x, "nchw") : x;
}

function tensorOf(type: string, name: string, value: unknown, inputs: readonly string[]): Tensor {
  if (isInstance(value, Tensor)) return value;
  const hint = typeof value === "function" ? "; apply the layer first, as in relu()(x)" : "";
  throw opError(
    type,
    `expected ${inputs.length} tensors (${inputs.join(", ")}), got ${kindOf(value)} as ${name}${hint}`,
  );
}

function optionsOf(type: string, defaults: OpOptions, given: unknown): OpOptions {
  if (given === undefined) return defaults;
  if (typeof given !== "object" || given === null || isInstance(given, Tensor)) {
    throw opError(type, `expected a record of options, got ${kindOf(given)}`);
  }
  const known = Object.keys(defaults);
  const entries = Object.entries(given as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) {
    if (!known.includes(name)) throw opError(type, `has no option "${name}"${suggestion(name, known)}`);
    const like = defaults[name]!;
    const valid = Array.isArray(like)
      ? Array.isArray(value) && value.every((item) => Number.isFinite(item))
      : typeof value === typeof like && (typeof value !== "number" || Number.isFinite(value));
    if (!valid) {
      throw opError(type, `option ${name} is ${shown(value)}; expected a value like its default, ${shown(like)}`);
    }
  }
  return { ...defaults, ...Object.fromEntries(entries) as OpOptions };
}
