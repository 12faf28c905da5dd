/**
 * Code that the kernels of a reduction share.
 *
 * @module
 */
import type { DType } from "../../runtime/core/dtype.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { chainName, type ChainStep } from "./chain.ts";
import type { ReduceShares } from "./reduce_shares.ts";
import type { ReduceSource } from "./reduce_source.ts";
import { inCopy, type Reducer } from "./reducer.ts";

/** Returns the name of a kernel that reads elements. */
export function reduceName(
  reducer: Reducer,
  { mode, pairs }: ReduceShares,
  { steps, inputs, dtype }: { readonly steps: readonly ChainStep[]; inputs: readonly TensorType[]; dtype: DType },
): string {
  return [
    "reduce",
    reducer.name,
    mode,
    ...(pairs ? ["x8"] : []),
    ...(steps.length === 0 ? [] : [chainName(steps)]),
    `${[...new Set(inputs.map((type) => type.dtype))].join("-")}_${dtype}`,
  ].join(".");
}

/** Returns true if each vector of a pair has its own state: in columns they are of different outputs. */
export function hasTwoStates({ pairs, mode }: ReduceShares): boolean {
  return pairs && mode === "columns";
}

/** Returns statements that add the vector, or the pair of vectors, at `place` to the state. */
export function addVectors(
  reducer: Reducer,
  source: ReduceSource,
  shares: ReduceShares,
  place: string,
): string {
  const { mode, pairs } = shares;
  const vector = (side: 0 | 1) => {
    const at = mode !== "rows"
      ? "vec4<u32>(t)"
      : pairs
      ? `t * 8u + vec4<u32>(${[0, 1, 2, 3].map((j) => `${4 * side + j}u`).join(", ")})`
      : "t * 4u + vec4<u32>(0u, 1u, 2u, 3u)";
    return [
      ...(reducer.placed === true ? [`let at = ${at};`] : []),
      source.statements(side),
      reducer.step,
    ].join("\n      ");
  };
  if (!pairs) return `let ${mode === "single" ? "e" : "i"} = ${place};\n    ${vector(0)}`;
  const side = (h: 0 | 1) => {
    const statements = `let i = pair * 2u + ${h}u;\n      ${vector(h)}`;
    return hasTwoStates(shares) ? inCopy(reducer, h, statements) : `{\n      ${statements}\n    }`;
  };
  return [`let pair = ${place};`, source.words, side(0), side(1)].join("\n    ");
}

/** Returns the type of an output's vectors, or of its single numbers. */
export function outputType(dtype: DType, width: 1 | 4): string {
  return width === 1 ? dtype : `vec4<${dtype}>`;
}
