import { applyElementwise, defineElementwise, type ElementwiseOp, type Operand } from "../../../ops/elementwise_op.ts";
import { isInstance } from "../../core/is_instance.ts";
import { suggestion } from "../../core/nearest.ts";
import { Tensor } from "../../graph/op.ts";
import type { ElementwiseOpDefinition, TensorNames } from "./definition.ts";
import { refersTo } from "./names.ts";
import { claimType, opError } from "./problem.ts";

/** Names that the code of an elementwise op sees besides its operands. */
const RESERVED = ["dy", "y", "i"];

/** Returns the function that applies an elementwise op whose definition has been checked. */
export function elementwiseOp<I extends TensorNames>(
  definition: ElementwiseOpDefinition<I>,
): (...operands: readonly Operand[]) => Tensor {
  const { type, inputs } = definition;
  checkCode(definition);
  const op = defineOwn(definition);
  return (...operands) => {
    if (operands.length !== inputs.length) {
      throw opError(type, `expected ${inputs.length} operands (${inputs.join(", ")}), got ${operands.length}`);
    }
    const tensor = operands.find((operand) => isInstance(operand, Tensor));
    if (tensor !== undefined) claimType(tensor.graph, type, op);
    return applyElementwise(op, operands);
  };
}

function defineOwn(
  { type, inputs, gradients, functions, ...rest }: ElementwiseOpDefinition<TensorNames>,
): ElementwiseOp {
  const derivatives = Object.entries(gradients ?? {}).flatMap(([name, derivative]) => {
    if (derivative === null) return [];
    const from = [...inputs, "y"].filter((other) => refersTo(derivative.value, other));
    return [[name, { ...derivative, from }] as const];
  });
  const op = defineElementwise({
    ...rest,
    type,
    operands: inputs,
    prelude: functions ?? [],
    gradients: Object.fromEntries(derivatives),
    own: true,
  });
  if (gradients !== undefined) return op;
  const { gradient: _, ...forward } = op;
  return forward;
}

/** @throws {InputError} if an operand is unused, has a reserved name, or has no entry in `gradients` */
function checkCode({ type, inputs, value, gradients }: ElementwiseOpDefinition<TensorNames>): void {
  for (const name of inputs) {
    if (RESERVED.includes(name)) {
      throw opError(type, `tensor "${name}": the generated code uses this name; choose another`);
    }
    if (!refersTo(value, name)) throw opError(type, `value does not read ${name}; use it, or remove it from inputs`);
    if (gradients !== undefined && !(name in gradients)) {
      throw opError(type, `gradients.${name} is missing; give its derivative, or null for 0`);
    }
  }
  for (const [name, derivative] of Object.entries(gradients ?? {})) {
    if (!inputs.includes(name)) throw opError(type, `gradients.${name} is not an operand${suggestion(name, inputs)}`);
    if (derivative !== null && !refersTo(derivative.value, "dy")) {
      throw opError(type, `gradients.${name} does not read dy; a derivative is multiplied by dy`);
    }
  }
}
