/**
 * Kernels as plain data: WGSL, bindings and grid. Independent of any device.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { lazyField } from "../core/lazy.ts";

/** Target of a storage binding: an input or output tensor of the node, or scratch memory of the candidate. */
export type BufferRef =
  | { readonly input: number }
  | { readonly output: number }
  | { readonly workspace: number };

export interface KernelBinding {
  readonly ref: BufferRef;
  readonly access: BufferAccess;
}

/** Use of a storage buffer. */
export type BufferAccess = "read" | "read_write";

/** One dispatch. Bindings use slots 0, 1, ... of group 0; the uniforms, if any, use the next slot. */
export interface KernelSpec {
  /** Family and variant, such as `conv2d.forward.nhwc.8x16`, as reports show it. */
  readonly name: string;
  /** Built when it is first read: plans that are compiled without a device need no code. */
  readonly wgsl: string;
  readonly bindings: readonly KernelBinding[];
  /** Encoded words of the uniform block, or `null`. */
  readonly uniforms: Uint32Array<ArrayBuffer> | null;
  /** Workgroups in x, y, z. */
  readonly grid: readonly [number, number, number];
  readonly workgroupSize: readonly [number, number, number];
  /** Name of what is applied to the values that it stores. */
  readonly epilogue?: string;
  /** Types of the script's own ops whose code the kernel contains. */
  readonly ownOps?: readonly string[];
}

/** One way to compute a node: kernels in order, with their shared scratch memory. */
export interface KernelPlan {
  readonly name: string;
  readonly kernels: readonly KernelSpec[];
  /** Bytes of each scratch buffer. */
  readonly workspace: readonly number[];
}

/** A uniform's value; a bare number is a `u32`. A table is an `array<vec4<f32>>`, and comes last. */
export type UniformValue =
  | number
  | { readonly f32: number }
  | { readonly i32: number }
  | { readonly table: readonly number[] };

/** A function of every value that a kernel stores in a buffer, such as an activation. */
export interface Epilogue {
  readonly name: string;
  /** Declarations at module scope, among them `fn epilogue(v: vec4<f32>) -> vec4<f32>`. */
  readonly code: string;
}

/** A storage buffer as a kernel declares it. */
export interface BufferDeclaration {
  readonly ref: BufferRef;
  /** Element, such as `vec4<f32>`. */
  readonly type: string;
  readonly access?: BufferAccess;
  /**
   * Another buffer of the kernel, by name, that this one takes the place of: it is not bound, and the code writes to the
   * other one, which becomes `read_write`.
   */
  readonly over?: string;
  /** Declared with the kernel; its stores call it. */
  readonly epilogue?: Epilogue;
}

/** WGSL, or a function that returns it, called at most once. */
export type KernelText = string | (() => string);

export interface KernelOptions {
  readonly name: string;
  /** Storage buffers by their name in WGSL, in binding order. */
  readonly buffers: Readonly<Record<string, BufferDeclaration>>;
  /** Fields of the uniform block `u`. */
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  readonly workgroupSize: readonly [number, number?, number?];
  /** Declarations at module scope: functions, workgroup memory, constants. */
  readonly prelude?: KernelText;
  /** The body of `main`, which sees `gid`, `lid`, `wid` (`vec3<u32>`), `lix` (`u32`) and `grid` (`vec3<u32>`, workgroups). */
  readonly body: KernelText;
  readonly grid: readonly [number, number?, number?];
}

/**
 * Assembles a kernel: declares bindings and uniforms, enables f16 where a type needs it, and wraps the body. Outputs
 * and workspaces are `read_write` unless `access` says otherwise, inputs `read`.
 *
 * @throws {InputError} if a uniform exceeds 32 bits
 */
export function defineKernel(options: KernelOptions): KernelSpec {
  const names = Object.keys(options.buffers).filter((name) => options.buffers[name]!.over === undefined);
  const replaced = new Set(Object.values(options.buffers).flatMap(({ over }) => over ?? []));
  const bindings = names.map((name): KernelBinding => {
    const { ref, access = "input" in ref ? "read" : "read_write" } = options.buffers[name]!;
    return { ref, access: replaced.has(name) ? "read_write" : access };
  });
  const fields = Object.entries(options.uniforms ?? {});
  const [x, y = 1, z = 1] = options.workgroupSize;
  const declarations = Object.entries(options.buffers).map(([name, { type, over }]) => {
    if (over !== undefined) return ""; // an empty line, so that code and fingerprints stay as they were
    const i = names.indexOf(name);
    return `@group(0) @binding(${i}) var<storage, ${bindings[i]!.access}> ${name}: array<${type}>;`;
  });
  if (fields.length > 0) {
    declarations.push(
      `struct Uniforms { ${fields.map(([name, value]) => `${name}: ${uniformType(value)}`).join(", ")} }`,
      `@group(0) @binding(${names.length}) var<uniform> u: Uniforms;`,
    );
  }
  const wgsl = () => {
    const code = `${declarations.join("\n")}
${textOf(options.prelude ?? "")}
@compute @workgroup_size(${x}, ${y}, ${z})
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>,
  @builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) lix: u32,
  @builtin(num_workgroups) grid: vec3<u32>) {
${textOf(options.body)}
}
`;
    return (/\bf16\b|\bvec\dh\b/.test(code) ? `enable f16;\n${code}` : code) + (epilogue?.code ?? "");
  };
  const epilogue = Object.values(options.buffers).flatMap((buffer) => buffer.epilogue ?? [])[0];
  const [gx, gy = 1, gz = 1] = options.grid;
  return lazyField(
    {
      name: replaced.size > 0 ? `${options.name}.in_place` : options.name,
      bindings,
      uniforms: fields.length > 0 ? encodeUniforms(options.name, fields) : null,
      grid: [gx, gy, gz],
      workgroupSize: [x, y, z],
      ...epilogue === undefined ? {} : { epilogue: epilogue.name },
    },
    "wgsl",
    wgsl,
  );
}

function textOf(text: KernelText): string {
  return typeof text === "string" ? text : text();
}

/**
 * Returns a grid for `n` invocations in workgroups of `size`, folded into y if x would exceed the adapter's limit. The
 * body computes its index with {@linkcode LINEAR_INDEX} and must return if it is `n` or more.
 */
export function linearGrid(n: number, size: number, maxPerDimension: number): [number, number, number] {
  const groups = Math.max(1, Math.ceil(n / size));
  if (groups <= maxPerDimension) return [groups, 1, 1];
  const y = Math.ceil(groups / maxPerDimension);
  return [Math.ceil(groups / y), y, 1];
}

/** Returns WGSL for the index of an invocation in a {@linkcode linearGrid} with workgroups of `size`. */
export function LINEAR_INDEX(size: number): string {
  return `((wid.y * grid.x + wid.x) * ${size}u + lix)`;
}

function uniformType(value: UniformValue): string {
  if (typeof value === "number") return "u32";
  if ("table" in value) return `array<vec4<f32>, ${Math.ceil(value.table.length / 4)}>`;
  return "f32" in value ? "f32" : "i32";
}

function encodeUniforms(
  kernel: string,
  fields: readonly (readonly [name: string, value: UniformValue])[],
): Uint32Array<ArrayBuffer> {
  const values = fields.map(([, value]) => value);
  const last = values.at(-1)!;
  const table = typeof last === "object" && "table" in last ? last.table : null;
  const scalars = table === null ? values : values.slice(0, -1);
  const tableAt = Math.ceil(scalars.length / 4) * 16;
  const bytes = new ArrayBuffer(tableAt + Math.ceil((table?.length ?? 0) / 4) * 16);
  const view = new DataView(bytes);
  table?.forEach((value, i) => view.setFloat32(tableAt + i * 4, value, true));
  scalars.forEach((value, i) => {
    if (typeof value === "number") {
      if (!Number.isInteger(value) || value < 0) throw new Error(`Not a u32: ${value}`);
      if (value > 0xffffffff) {
        throw new InputError(
          `kernel ${kernel} counts to ${value} (${fields[i]![0]}); expected at most ${0xffffffff}. ` +
            "Lower loader.batchSize or the size of the layer",
        );
      }
      view.setUint32(i * 4, value, true);
    } else if ("f32" in value) view.setFloat32(i * 4, value.f32, true);
    else if ("i32" in value) view.setInt32(i * 4, value.i32, true);
    else throw new Error("A table comes last");
  });
  return new Uint32Array(bytes);
}
