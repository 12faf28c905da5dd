import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { shown } from "../../core/shown.ts";
import { checked } from "../../data/checked.ts";
import { PRECISION_RULES } from "../../graph/op.ts";
import { opOfType } from "../all_ops.ts";
import { kindOf, UncalledError } from "../layer.ts";
import type { AnyKernelOp, ElementwiseOpDefinition, TensorNames } from "./definition.ts";
import { checkNames } from "./names.ts";

const functionOf = (signature: string) =>
  z.custom<(...args: never[]) => unknown>((value) => typeof value === "function", {
    error: `expected a function such as ${signature}`,
  });
const text = (what: string) => z.string({ error: `expected ${what}` });
const wgsl = text("WGSL");
const names = z.array(text("a name"), { error: 'expected a list of names such as ["x"]' })
  .min(1, { error: "expected at least one name" });
const flops = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" });
const workgroupSize = z.union([z.number(), z.array(z.number()).min(1).max(3)], {
  error: "expected a number such as 64, or up to three such as [8, 8]",
});

const common = {
  type: z.string(),
  inputs: names,
  precision: z.enum(PRECISION_RULES, { error: `expected one of ${PRECISION_RULES.join(", ")}` }).optional(),
  aliases: z.record(z.string(), z.string(), { error: 'expected names by dialect, such as { nnc: "Gate" }' }).optional(),
};

const pass = {
  vectors: names.optional(),
  uniforms: functionOf("({ x }) => ({ width: x.shape.at(-1)! })").optional(),
  declarations: wgsl.optional(),
  workgroupSize: workgroupSize.optional(),
  invocations: functionOf("({ y }) => y.size").optional(),
  workgroups: functionOf("({ y }) => y.shape[0]!").optional(),
};
const code = z.union([wgsl, functionOf("() => WGSL")], { error: "expected WGSL, or a function that returns it" });
const counts = ({ invocations, workgroups }: { invocations?: unknown; workgroups?: unknown }) =>
  (invocations === undefined) !== (workgroups === undefined);
const oneCount = { error: "expected either invocations or workgroups" };
const passSchema = z.strictObject({ ...pass, code }, { error: "expected a record such as { code, invocations }" })
  .refine(counts, oneCount);

const kernelSchema = z.strictObject({
  name: text("a name").regex(/^\w[\w-]*$/, { error: "expected letters, digits, - and _" }),
  when: functionOf("({ x }) => x.shape.at(-1)! % 4 === 0").optional(),
  ...pass,
  code: code.optional(),
  scratch: functionOf("({ x }) => ({ partial: x.shape[0]! })").optional(),
  passes: z.array(passSchema, { error: "expected a list of passes" }).min(1, { error: "expected at least one pass" })
    .optional(),
}, { error: "expected a record such as { name, code, invocations }" })
  .refine(({ code, passes }) => (code === undefined) !== (passes === undefined), {
    error: "expected either code or passes",
  })
  .refine((kernel) => kernel.passes !== undefined || counts(kernel), oneCount);

const option = z.union([z.number(), z.boolean(), z.string(), z.array(z.number())], {
  error: "expected a number, true, false, a string or a list of numbers",
});

const kernelOpSchema = z.strictObject({
  ...common,
  outputs: names.optional(),
  options: z.record(z.string(), option, { error: "expected defaults by name, such as { epsilon: 1e-5 }" }).optional(),
  shape: functionOf("({ x }) => ({ y: x.shape })"),
  cost: functionOf("({ y }) => 2 * y.size"),
  gradient: functionOf("({ inputs, gradients }) => ({ x: gradients.y })").optional(),
  kernels: z.array(kernelSchema, { error: "expected a list of kernels" })
    .min(1, { error: "expected at least one kernel" }),
});

const derivative = z.strictObject({ value: wgsl, flops }, { error: "expected { value, flops }, or null for 0" })
  .nullable();

const elementwiseSchema = z.strictObject({
  ...common,
  value: wgsl,
  flops,
  gradients: z.record(z.string(), derivative, { error: "expected derivatives by operand" }).optional(),
  functions: z.array(wgsl, { error: "expected a list of WGSL functions" }).optional(),
});

/** A definition that has been checked. */
export type CheckedDefinition =
  | { readonly elementwise: ElementwiseOpDefinition<TensorNames> }
  | { readonly kernels: AnyKernelOp };

/**
 * Checks a definition.
 *
 * @throws {InputError} naming the op, the key, the value and what was expected
 */
export function checkDefinition(definition: unknown): CheckedDefinition {
  if (kindOf(definition) === "a tensor") throw new UncalledError("defineOp");
  if (typeof definition !== "object" || definition === null || Array.isArray(definition)) {
    throw new InputError(
      `defineOp: expected a record such as { type, inputs, kernels, ... }, got ${kindOf(definition)}`,
    );
  }
  const type: unknown = "type" in definition ? definition.type : undefined;
  if (typeof type !== "string" || !/^[a-z][a-z0-9_]*$/.test(type)) {
    throw new InputError(
      `defineOp: type is ${shown(type)}; expected lower-case letters, digits and underscores, such as "fused_swiglu"`,
    );
  }
  const elementwise = "value" in definition;
  const place = `op "${type}"`;
  checked(elementwise ? elementwiseSchema : kernelOpSchema, definition, place);
  for (const taken of elementwise ? [type, `${type}_grad`] : [type]) {
    if (opOfType(taken) !== undefined) {
      throw new InputError(`${place}: Tacho has an op of type "${taken}"; choose another type`);
    }
  }
  if (elementwise) {
    const op = definition as ElementwiseOpDefinition<TensorNames>;
    checkNames(type, "tensor", op.inputs);
    return { elementwise: op };
  }
  const op = definition as AnyKernelOp;
  checkNames(type, "tensor", [...op.inputs, ...op.outputs ?? ["y"]]);
  return { kernels: op };
}
