/**
 * Files of recorded kernels: one JSON object per line. Every test process writes its own.
 *
 * @module
 */
import { join } from "node:path";
import { sha256 } from "../../runtime/core/sha256.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";

/** The parts of a kernel that a compiler sees. */
export interface RecordedKernel extends Omit<KernelSpec, "uniforms" | "epilogue"> {
  /** True if the kernel has a uniform block. */
  readonly hasUniforms: boolean;
}

/** A kernel with the types of the ops that generate it; none for kernels of no op, such as an optimizer's. */
export interface KernelOfOps extends RecordedKernel {
  readonly ops: readonly string[];
}

/** Line of a file. */
interface Line {
  readonly kernel: RecordedKernel;
  readonly op: string | null;
}

/** Writes kernels to a file of a folder, each one once. */
export class KernelFile {
  readonly #file: string;
  readonly #seen = new Set<string>();

  constructor(folder: string) {
    this.#file = join(folder, `${Deno.pid}.jsonl`);
  }

  /** @param op type of the op that generates the kernel, or null */
  add({ name, wgsl, bindings, uniforms, grid, workgroupSize }: KernelSpec, op: string | null): void {
    const kernel: RecordedKernel = { name, wgsl, bindings, grid, workgroupSize, hasUniforms: uniforms !== null };
    const key = `${op} ${keyOf(kernel)}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const line: Line = { kernel, op };
    Deno.writeTextFileSync(this.#file, `${JSON.stringify(line)}\n`, { append: true });
  }
}

/** Reads the kernels of all files in a folder, each one once. */
export function readKernels(folder: string): KernelOfOps[] {
  const kernels = new Map<string, RecordedKernel & { ops: string[] }>();
  for (const { name } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    for (const text of Deno.readTextFileSync(join(folder, name)).split("\n")) {
      if (text === "") continue;
      const { kernel, op } = JSON.parse(text) as Line;
      const key = keyOf(kernel);
      const known = kernels.get(key) ?? { ...kernel, ops: [] };
      if (op !== null && !known.ops.includes(op)) known.ops.push(op);
      kernels.set(key, known);
    }
  }
  return [...kernels.values()];
}

/** Returns a key of what a compiler sees. */
function keyOf({ wgsl, bindings, hasUniforms }: RecordedKernel): string {
  return sha256(JSON.stringify([wgsl, bindings.map(({ access }) => access), hasUniforms]));
}
