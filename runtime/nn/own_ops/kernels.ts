import { elementType, load } from "../../../ops/kernels/access.ts";
import { isFloat } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import {
  type BufferDeclaration,
  type BufferRef,
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../device/kernel.ts";
import type { KernelContext } from "../../graph/op.ts";
import { formatType, type TensorType } from "../../graph/types.ts";
import type { AnyKernel, AnyKernelOp, AnyPass, OpOptions, OpUniform, TensorInfos } from "./definition.ts";
import { checkAccesses, checkNames, refersTo, writes } from "./names.ts";
import { attempt, opError } from "./problem.ts";

/** A tensor or scratch buffer of a kernel. */
interface Memory {
  readonly ref: BufferRef;
  readonly type: Pick<TensorType, "dtype">;
}

/** Everything that the kernels of one node depend on. */
interface NodeKernels {
  readonly definition: AnyKernelOp;
  readonly context: KernelContext<OpOptions>;
  readonly tensors: TensorInfos<string>;
  readonly memory: Readonly<Record<string, Memory>>;
}

/** Returns what a script's functions see of tensors. */
export function infosOf(names: readonly string[], types: readonly TensorType[]): TensorInfos<string> {
  return Object.fromEntries(names.map((name, i) => {
    const { shape, dtype } = types[i]!;
    return [name, { shape, dtype, size: sizeOf(shape) }];
  }));
}

/**
 * Returns the kernels of a node that support its shapes and the adapter, in the script's order.
 *
 * @throws {InputError} if none does, or one is wrong
 */
export function kernelPlans(definition: AnyKernelOp, context: KernelContext<OpOptions>): KernelPlan[] {
  const { type, inputs, outputs = ["y"], kernels } = definition;
  const { attrs, traits } = context;
  const tensors = { ...infosOf(inputs, context.inputs), ...infosOf(outputs, context.outputs) };
  const memory = Object.fromEntries([
    ...inputs.map((name, i): [string, Memory] => [name, { ref: { input: i }, type: context.inputs[i]! }]),
    ...outputs.map((name, i): [string, Memory] => [name, { ref: { output: i }, type: context.outputs[i]! }]),
  ]);
  const fitting = kernels.filter((kernel) =>
    attempt(type, `when of kernel "${kernel.name}"`, () => kernel.when?.(tensors, attrs, traits) ?? true)
  );
  if (fitting.length === 0) {
    const given = inputs.map((name, i) => `${name} ${formatType(context.inputs[i]!)}`).join(", ");
    throw opError(
      type,
      `no kernel supports ${given} on this adapter: \`when\` of ${
        kernels.map(({ name }) => name).join(", ")
      } returned ` +
        "false; add a kernel without `when`",
    );
  }
  return fitting.map((kernel) => planOf(kernel, { definition, context, tensors, memory }));
}

function planOf(kernel: AnyKernel, node: NodeKernels): KernelPlan {
  const { definition: { type, outputs = ["y"] }, context: { attrs, traits }, tensors } = node;
  const multiple = "passes" in kernel;
  const passes = multiple ? kernel.passes : [kernel];
  const sizes = multiple
    ? attempt(type, `scratch of kernel "${kernel.name}"`, () => kernel.scratch?.(tensors, attrs, traits) ?? {})
    : {};
  const scratch = Object.entries(sizes);
  checkNames(type, `kernel "${kernel.name}": scratch`, [...Object.keys(tensors), ...Object.keys(sizes)]);
  for (const [name, elements] of scratch) checkCount(type, `scratch ${name} of kernel "${kernel.name}"`, elements);
  const memory = {
    ...node.memory,
    ...Object.fromEntries(
      scratch.map(([name], i): [string, Memory] => [name, { ref: { workspace: i }, type: { dtype: "f32" } }]),
    ),
  };
  const name = `${type}.${kernel.name}.${floatTypes(node.memory)}`;
  const kernels = passes.map((pass, i) =>
    passKernel(pass, { ...node, memory }, kernel.name, passes.length === 1 ? name : `${name}.${i + 1}`)
  );
  const unwritten = outputs.filter((output) => !passes.some((pass) => writes(textOf(pass, node), output)));
  if (unwritten.length > 0) {
    throw opError(
      type,
      `kernel "${kernel.name}" does not write ${unwritten.join(", ")}; call store_${
        unwritten[0]
      }(i, value) in its code`,
    );
  }
  return { name, kernels, workspace: scratch.map(([, elements]) => elements * 4) };
}

function passKernel(pass: AnyPass, node: NodeKernels, kernel: string, name: string): KernelSpec {
  const { definition: { type, outputs = ["y"] }, context: { attrs, traits }, tensors, memory } = node;
  const place = `of kernel "${kernel}"`;
  const uniforms = attempt(type, `uniforms ${place}`, () => pass.uniforms?.(tensors, attrs, traits) ?? {});
  checkUniforms(type, kernel, uniforms);
  const code = textOf(pass, node);
  const readable = Object.keys(memory);
  checkAccesses(type, kernel, code, {
    readable,
    writable: readable.filter((tensor) => outputs.includes(tensor) || "workspace" in memory[tensor]!.ref),
    uniforms: Object.keys(uniforms),
  });
  const unknown = (pass.vectors ?? []).find((tensor) => !(tensor in tensors));
  if (unknown !== undefined) {
    throw opError(type, `vectors ${place}: "${unknown}" is not a tensor of the op, which are ${readable.join(", ")}`);
  }
  const bound = readable.filter((tensor) => refersTo(code, tensor));
  const buffers: Record<string, BufferDeclaration> = {};
  const accessors: string[] = [];
  for (const tensor of bound) {
    const width = pass.vectors?.includes(tensor) ? 4 : 1;
    buffers[tensor] = { ref: memory[tensor]!.ref, type: bufferType(memory[tensor]!, width) };
    accessors.push(...accessorsOf(tensor, memory[tensor]!, width));
  }
  const workgroupSize = sizesOf(pass.workgroupSize ?? 64);
  const invocations = sizeOf(workgroupSize);
  if (!workgroupSize.every(isCount) || invocations > traits.maxInvocations) {
    throw opError(
      type,
      `workgroupSize ${place} is ${workgroupSize.join(" x ")}; expected at most ${traits.maxInvocations} invocations`,
    );
  }
  return defineKernel({
    name,
    buffers,
    prelude: `${accessors.join("\n")}\n${pass.declarations ?? ""}`,
    workgroupSize,
    ...dispatched(pass, node, place, { invocations, uniforms, body: bodyOf(pass, node) }),
  });
}

/** Returns the grid, and the body and uniforms with the index that the grid counts. */
function dispatched(
  pass: AnyPass,
  { definition: { type }, context: { attrs, traits }, tensors }: NodeKernels,
  place: string,
  { invocations, uniforms, body }: {
    readonly invocations: number;
    readonly uniforms: Readonly<Record<string, OpUniform>>;
    readonly body: string;
  },
) {
  const limit = traits.maxWorkgroupsPerDimension;
  if (pass.invocations !== undefined) {
    const count = attempt(type, `invocations ${place}`, () => pass.invocations!(tensors, attrs, traits));
    checkCount(type, `invocations ${place}`, count);
    return {
      grid: linearGrid(count, invocations, limit),
      uniforms: { ...uniforms, invocations: count },
      body: `let index = ${LINEAR_INDEX(invocations)};\nif (index >= u.invocations) { return; }\n${body}`,
    };
  }
  const groups = attempt(type, `workgroups ${place}`, () => pass.workgroups!(tensors, attrs, traits));
  if (typeof groups !== "number") {
    const grid = sizesOf(groups);
    for (const count of grid) checkCount(type, `workgroups ${place}`, count);
    return { grid, uniforms, body };
  }
  checkCount(type, `workgroups ${place}`, groups);
  return {
    grid: linearGrid(groups, 1, limit),
    uniforms: { ...uniforms, workgroups: groups },
    body: `let group = wid.y * grid.x + wid.x;\nif (group >= u.workgroups) { return; }\n${body}`,
  };
}

function bodyOf({ code }: AnyPass, { definition: { type }, context: { attrs, traits }, tensors }: NodeKernels): string {
  return typeof code === "string" ? code : attempt(type, "code", () => code(tensors, attrs, traits));
}

function textOf(pass: AnyPass, node: NodeKernels): string {
  return `${pass.declarations ?? ""}\n${bodyOf(pass, node)}`;
}

function bufferType({ type: { dtype } }: Memory, width: 1 | 4): string {
  return isFloat(dtype) ? elementType(dtype, width) : width === 1 ? dtype : `vec4<${dtype}>`;
}

/** Returns the functions that read and write a buffer. */
function accessorsOf(name: string, { ref, type: { dtype } }: Memory, width: 1 | 4): string[] {
  const scalar = isFloat(dtype) ? "f32" : dtype;
  const value = width === 1 ? scalar : `vec4<${scalar}>`;
  const stored = dtype === "f16" ? `${elementType("f16", width)}(value)` : "value";
  const element = isFloat(dtype) ? load(name, "i", dtype, width) : `${name}[i]`;
  return [
    `fn load_${name}(i: u32) -> ${value} { return ${element}; }`,
    ...("input" in ref ? [] : [`fn store_${name}(i: u32, value: ${value}) { ${name}[i] = ${stored}; }`]),
  ];
}

function checkUniforms(type: string, kernel: string, uniforms: Readonly<Record<string, OpUniform>>): void {
  checkNames(type, `kernel "${kernel}": uniform`, Object.keys(uniforms));
  for (const [name, value] of Object.entries(uniforms)) {
    const given = typeof value === "number" ? value : Object.values(value)[0]!;
    if (name === "invocations" || name === "workgroups") {
      throw opError(type, `kernel "${kernel}": uniform "${name}": the generated code uses this name; choose another`);
    }
    if (typeof value === "number" && !(Number.isInteger(value) && value >= 0)) {
      throw opError(
        type,
        `kernel "${kernel}": uniform ${name} is ${value}, but a bare number is a u32; write { f32: ${value} }`,
      );
    }
    if (!Number.isFinite(given)) {
      throw opError(type, `kernel "${kernel}": uniform ${name} is ${given}; expected a finite number`);
    }
  }
}

function checkCount(type: string, what: string, count: unknown): void {
  if (isCount(count)) return;
  throw opError(type, `${what}: expected a whole number of at least 1, got ${String(count)}`);
}

function isCount(count: unknown): boolean {
  return Number.isSafeInteger(count) && (count as number) >= 1;
}

function sizesOf(sizes: number | readonly [number, number?, number?]): [number, number, number] {
  const [x, y = 1, z = 1] = typeof sizes === "number" ? [sizes] : sizes;
  return [x, y, z];
}

/** Returns the float types of tensors, which tell compiled variants of a kernel apart: `f32` or `f32-f16`. */
function floatTypes(memory: Readonly<Record<string, Memory>>): string {
  const dtypes = new Set(Object.values(memory).map(({ type }) => type.dtype).filter(isFloat));
  return [...dtypes].sort().reverse().join("-");
}
