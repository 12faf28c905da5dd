import type { TensorType } from "../../runtime/graph/types.ts";
import type { BufferDeclaration, UniformValue } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, gather, load } from "./access.ts";
import { chainCode, type ChainStep } from "./chain.ts";
import { HIDDEN_ZERO, UNPACK_F16, WIDEN_F16 } from "./half_words.ts";
import type { ReduceShares } from "./reduce_shares.ts";
import { readElements, readVectors } from "./strided.ts";

/** WGSL that reads what is reduced. */
export interface ReduceSource {
  readonly buffers: Readonly<Record<string, BufferDeclaration>>;
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  readonly prelude: string;
  /** Statements that read what both vectors of a pair share, `pair` of the tensor. */
  readonly words: string;
  /** Returns statements that declare `x` or `bits`, of vector `i` of the tensor or of its four elements `e`. */
  statements(side: 0 | 1): string;
}

/** Returns true if the reduction can read f16 that are not widened. */
export function readsHalves(
  steps: readonly ChainStep[],
  types: readonly TensorType[],
  { mode }: Pick<ReduceShares, "mode">,
  traits: DeviceTraits,
): boolean {
  return steps.length === 0 && types[0]!.dtype === "f16" && traits.class === "cpu" && mode !== "single";
}

/** Returns the code of a chain of elementwise ops before a reduction; of input 0 if there are none. */
export function sourceOf(
  steps: readonly ChainStep[],
  types: readonly TensorType[],
  space: TensorType,
  { mode, pairs }: Pick<ReduceShares, "mode" | "pairs">,
  traits: DeviceTraits,
): ReduceSource {
  const input = { form: { name: "x", inputs: ["x"], value: "x", flops: 0 }, sources: [{ input: 0 }] };
  const chain = chainCode(steps.length === 0 ? [input] : steps, types, space);
  const single = mode === "single";
  const buffers: Record<string, BufferDeclaration> = { ...chain.buffers };
  const uniforms: Record<string, UniformValue> = { ...chain.uniforms };
  const functions = new Set([chain.prelude]);
  const words: string[] = [];
  const reads: ((side: 0 | 1) => string)[] = [];
  for (const [name, { ref, dtype }] of Object.entries(chain.inputs)) {
    const half = dtype === "f16" && traits.class === "cpu";
    const packed = half && !single;
    const type = packed ? `vec${pairs ? 4 : 2}<u32>` : elementType(dtype, single ? 1 : 4);
    buffers[`${name}_`] = { ref, type, access: "read" };
    if (half) functions.add(single ? WIDEN_F16 : UNPACK_F16);
    if (packed && pairs) words.push(`let ${name}_words = ${name}_[pair];`);
    const elements = gather(`${name}_`, ["e.x", "e.y", "e.z", "e.w"], dtype);
    reads.push((side) => {
      const value = packed
        ? `unpackF16(${pairs ? `${name}_words.${["xy", "zw"][side]}` : `${name}_[i]`}, ${HIDDEN_ZERO})`
        : !single
        ? load(`${name}_`, "i", dtype, 4)
        : half
        ? `widenF16(${elements}, ${HIDDEN_ZERO})`
        : elements;
      return `let ${name} = ${value};`;
    });
  }
  for (const [name, { ref, dtype, view }] of Object.entries(chain.spread)) {
    const read = (single ? readElements : readVectors)(`${name}_`, dtype, view);
    buffers[`${name}_`] = { ref, type: read.type, access: "read" };
    Object.assign(uniforms, read.uniforms);
    functions.add(read.functions);
    reads.push(() => `let ${name} = vec4<f32>(${name}_At(${single ? "e" : "i"}));`);
  }
  const value = `let x = v${Math.max(0, steps.length - 1)};`;
  return {
    buffers,
    uniforms,
    prelude: [...functions].join("\n"),
    words: words.join("\n    "),
    statements: (side) => [...reads.map((read) => read(side)), chain.statements, value].join("\n    "),
  };
}

/** Returns the code that reads input 0, f16, as `bits`. */
export function halvesOf({ pairs }: Pick<ReduceShares, "pairs">): ReduceSource {
  return {
    buffers: { x_: { ref: { input: 0 }, type: `vec${pairs ? 4 : 2}<u32>`, access: "read" } },
    uniforms: {},
    prelude: "",
    words: pairs ? "let words = x_[pair];" : "",
    statements(side) {
      const read = pairs ? `words.${["xy", "zw"][side]}` : "x_[i]";
      return `let both = ${read};
      let bits = vec4<u32>(both.x << 16u, both.x, both.y << 16u, both.y);`;
    },
  };
}
