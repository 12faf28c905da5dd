import { z } from "zod";
import { cast } from "../../../ops/cast.ts";
import { reshape } from "../../../ops/reshape.ts";
import { expand } from "../../../ops/sum.ts";
import { isFloat } from "../../core/dtype.ts";
import { InputError, TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { sizeOf } from "../../core/shape.ts";
import { Tensor } from "../../graph/op.ts";
import { formatType } from "../../graph/types.ts";
import { kindOf } from "../layer.ts";
import type { Fields, LossDef } from "./loss_def.ts";

/**
 * A loss in code: returns the mean loss of a batch as a tensor with one element.
 *
 * @param output the model's output
 * @param target the targets of the batch
 * @param fields further fields of the data, by name
 */
export type LossFunction = (output: Tensor, target: Tensor, fields: Fields) => Tensor;

const schema = z.strictObject({
  kind: z.literal("custom"),
  name: z.string().describe("name of the function, for reports"),
  build: z.custom<LossFunction>((value) => typeof value === "function", {
    error: "expected a function in the script: loss: (output, target) => mean(...)",
  }).describe("function of output, target and further fields that returns a scalar; only in the script"),
});

/** Record of a loss in code. */
export interface CustomLossSpec {
  kind: "custom";
  /** Name of the function, for reports. */
  name: string;
  build: LossFunction;
}

/** Returns the record of a loss in code. */
export function customLossOf(build: LossFunction): CustomLossSpec {
  return { kind: "custom", name: ["", "loss"].includes(build.name) ? "custom" : build.name, build };
}

export const customLoss: LossDef<typeof schema> = {
  schema,
  targets: "any",
  apply: (spec, output, target, fields) => scalarOf(spec, output, target, fields),
  // A loss in code has no value per sample: each sample of a batch gets the batch's mean
  perSample: (spec, output, target, fields) => ({
    loss: expand(scalarOf(spec, output, target, fields), [output.shape[0]!]),
    weight: null,
  }),
};

/** @throws {InputError} if the function fails, or does not return one number of this graph */
function scalarOf({ build, name }: CustomLossSpec, output: Tensor, target: Tensor, fields: Fields): Tensor {
  const where = `loss: the function ${name === "custom" ? "" : `${name} `}`;
  let loss: unknown;
  try {
    loss = build(output, target, fields);
  } catch (error) {
    if (isInstance(error, TachoError)) throw error;
    throw new InputError(`${where}failed: ${error}`, { cause: error });
  }
  if (!isInstance(loss, Tensor)) {
    throw new InputError(`${where}returned ${kindOf(loss)}; expected a tensor with one element, such as mean(...)`);
  }
  if (loss.graph !== output.graph) {
    throw new InputError(
      `${where}returned a tensor of another build of the model; compute it from its arguments instead of keeping ` +
        "tensors in variables outside",
    );
  }
  if (!isFloat(loss.dtype) || sizeOf(loss.shape) !== 1) {
    throw new InputError(
      `${where}returned ${formatType(loss.type)}; expected one f32 or f16 number: take the mean(...) of it`,
    );
  }
  return reshape(cast(loss, "f32"), [1]);
}
