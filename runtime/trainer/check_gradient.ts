import type { Shape } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import type { CheckedInput, CheckGradientOptions, GradientCheck } from "./compare_gradients.ts";

/**
 * Compares the gradient of an op with finite differences, for every kernel of the op, for software adapters' kernels and
 * GPUs', and in f32 and f16. The loss is a random weighted sum of the outputs.
 *
 * @example
 * ```ts
 * import { checkGradient, defineOp } from "@tacho/tacho";
 *
 * const cube = defineOp({
 *   type: "cube",
 *   inputs: ["x"],
 *   value: "x * x * x",
 *   flops: 2,
 *   gradients: { x: { value: "3.0 * dy * x * x", flops: 3 } },
 * });
 * await checkGradient(cube, [[3, 5]], { reference: (x) => x.map((v) => v ** 3) });
 * ```
 *
 * @param op the op, or a function of tensors that applies it
 * @param inputs shape of each input, or its shape, element type and values
 * @throws {InputError} naming the kernel, the element and both values, if they differ; or if the op is wrong
 * @throws {DeviceError} if there is no adapter
 */
export async function checkGradient(
  op: (...tensors: never[]) => Tensor | readonly Tensor[],
  inputs: readonly (Shape | CheckedInput)[],
  options: CheckGradientOptions = {},
): Promise<GradientCheck> {
  const { compareGradients } = await import("./compare_gradients.ts");
  return await compareGradients(op, inputs, options);
}
