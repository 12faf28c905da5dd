/**
 * Associative operations of reductions, and code that declares and merges their states.
 *
 * @module
 */
import type { UniformValue } from "../../runtime/device/kernel.ts";
import { unroll } from "./unroll.ts";

/** An associative operation. Its state and its code are vectors of four independent reductions. */
export interface Reducer {
  readonly name: string;
  readonly state: readonly { readonly name: string; readonly type: "f32" | "u32" | "i32"; readonly initial: string }[];
  /** Statements that add `x` to the state. */
  readonly step: string;
  /** True if `step` reads `at` (`vec4<u32>`), the index of `x` among the reduced elements. */
  readonly placed?: boolean;
  /** Statements that add another state, in variables with `B` appended to their names. */
  readonly merge: string;
  /** The result, `vec4<f32>`, or `vec4<u32>` for an integer output. */
  readonly result: string;
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  /** Functions that the code calls. */
  readonly prelude?: string;
  /**
   * The same reduction of f16 that are not widened. In place of `x`, `step` reads `bits` (`vec4<u32>`), which hold an f16
   * in their upper halves and anything in their lower halves.
   */
  readonly halves?: Reducer;
}

/** Returns statements that declare the state. */
export function declareState({ state }: Reducer): string {
  return state.map(({ name, type, initial }) => `var ${name} = vec4<${type}>(${initial});`).join("\n  ");
}

/** Returns the statements in a block whose state is a copy numbered `copy`, which they may change. */
export function inCopy({ state }: Reducer, copy: 0 | 1, statements: string): string {
  return `{
      ${state.map(({ name }) => `var ${name} = ${name}${copy};`).join(" ")}
      ${statements}
      ${state.map(({ name }) => `${name}${copy} = ${name};`).join(" ")}
    }`;
}

/** Returns statements that declare two copies of the state, numbered from 0. */
export function declareCopies({ state }: Reducer): string {
  return unroll(
    2,
    (copy) => state.map(({ name, type, initial }) => `var ${name}${copy} = vec4<${type}>(${initial});`).join("\n  "),
  );
}

/** Returns statements that merge each part of the state with another. */
export function foldParts({ state, merge }: Reducer, swizzle: string): string {
  return `{ ${state.map(({ name }) => `let ${name}B = ${name}.${swizzle};`).join(" ")} ${merge} }`;
}

export function teamMemory({ state }: Reducer, members: number): string {
  return state.map(({ name, type }) => `var<workgroup> ${name}Team: array<vec4<${type}>, ${members}>;`).join("\n");
}

/** Returns statements that merge the states of a workgroup by a tree, and the head of a block for its first member. */
export function foldMembers({ state, merge }: Reducer, members: number): string {
  const write = state.map(({ name }) => `${name}Team[lix] = ${name};`).join(" ");
  return `${write}
${
    unroll(Math.log2(members), (step) => {
      const half = members / 2 ** (step + 1);
      const read = state.map(({ name }) => `let ${name}B = ${name}Team[lix + ${half}u];`).join(" ");
      return `  workgroupBarrier();\n  if (lix < ${half}u) { ${read} ${merge} ${write} }`;
    })
  }
  if (lix == 0u) {`;
}
