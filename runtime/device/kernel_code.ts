/**
 * Changes to the code of kernels that hold whatever the kernel's family: they rest on what `defineKernel` writes, one
 * declaration to a line, and on stores of the form `name[index] = value;`.
 *
 * @module
 */
import type { KernelSpec } from "./kernel.ts";

/** A storage variable of a kernel. */
export interface StorageVariable {
  readonly name: string;
  /** Element type, such as `vec4<f32>`. */
  readonly element: string;
}

const DECLARATION = /^@group\(0\) @binding\((\d+)\) var<storage, (read|read_write)> (\w+): array<(.+)>;$/gm;

/** The storage variables of a kernel in the order of its bindings. */
export function storageVariables(kernel: KernelSpec): StorageVariable[] {
  const found: StorageVariable[] = [];
  for (const [, binding, , name, element] of kernel.wgsl.matchAll(DECLARATION)) {
    found[Number(binding)] = { name: name!, element: element! };
  }
  if (found.length !== kernel.bindings.length) {
    throw new Error(`${kernel.name}: its bindings are not declared as usual`);
  }
  return found;
}

/** Puts `change(value)` in the place of each value stored in `name`; null where the kernel also reads it. */
export function mapStores(wgsl: string, name: string, change: (value: string) => string): string | null {
  const use = new RegExp(`(?<![\\w.])${name}\\b`, "g");
  let result = "";
  let copied = 0;
  for (const match of wgsl.matchAll(use)) {
    const behind = match.index + name.length;
    if (wgsl[behind] === ":") continue; // its declaration
    if (wgsl[behind] !== "[") return null;
    const index = closing(wgsl, behind);
    const assignment = /^\s*=(?!=)\s*/.exec(wgsl.slice(index + 1, index + 16));
    if (assignment === null) return null;
    const start = index + 1 + assignment[0].length;
    const end = wgsl.indexOf(";", start);
    result += wgsl.slice(copied, start) + change(wgsl.slice(start, end));
    copied = end;
  }
  return result + wgsl.slice(copied);
}

/** The kernel with binding `from` left out and written to binding `into` instead, which has elements of the same type. */
export function mergeBindings(kernel: KernelSpec, from: number, into: number): KernelSpec | null {
  const variables = storageVariables(kernel);
  const [dropped, kept] = [variables[from]!, variables[into]!];
  if (dropped.element !== kept.element) return null;
  const wgsl = kernel.wgsl
    .replaceAll(DECLARATION, (line, binding: string, _access, name: string, element: string) => {
      if (Number(binding) === from) return "";
      return Number(binding) === into
        ? `@group(0) @binding(${binding}) var<storage, read_write> ${name}: array<${element}>;`
        : line;
    })
    .replaceAll(new RegExp(`(?<![\\w.])${dropped.name}(?=\\[)`, "g"), kept.name)
    .replaceAll(
      /@binding\((\d+)\)/g,
      (all, binding: string) => Number(binding) > from ? `@binding(${+binding - 1})` : all,
    );
  const bindings = kernel.bindings.map((binding, i) =>
    i === into ? { ...binding, access: "read_write" as const } : binding
  );
  bindings.splice(from, 1);
  return { ...kernel, name: `${kernel.name}.in_place`, wgsl, bindings };
}

/** Where the bracket that opens at `open` closes. */
function closing(text: string, open: number): number {
  for (let depth = 0, i = open; i < text.length; i++) {
    if (text[i] === "[") depth++;
    else if (text[i] === "]" && --depth === 0) return i;
  }
  throw new Error("A bracket does not close");
}
