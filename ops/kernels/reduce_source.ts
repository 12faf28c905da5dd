import type { TensorType } from "../../runtime/graph/types.ts";
import type { BufferDeclaration, UniformValue } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, gather, load } from "./access.ts";
import { chainCode, type ChainStep } from "./chain.ts";
import { HIDDEN_ZERO, UNPACK_F16, WIDEN_F16 } from "./half_words.ts";
import type { ReduceShares } from "./reduce_shares.ts";
import { windowReader } from "./windows.ts";
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

/**
 * Returns the code of a chain of elementwise ops before a reduction; of input 0 if there are none.
 *
 * @param windows true if windows of the inputs are bound as uniforms, of which none is broadcast
 */
export function sourceOf(
  steps: readonly ChainStep[],
  types: readonly TensorType[],
  space: TensorType,
  { mode, pairs, loose }: Pick<ReduceShares, "mode" | "pairs" | "loose">,
  traits: DeviceTraits,
  windows = false,
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
    const numbers = single && windows;
    const type = packed ? `vec${pairs ? 4 : 2}<u32>` : elementType(dtype, single && !windows ? 1 : 4);
    buffers[`${name}_`] = { ref, type: numbers && half ? "vec4<u32>" : type, access: "read" };
    if (half) functions.add(single ? WIDEN_F16 : UNPACK_F16);
    if (numbers) functions.add(windowReader(`${name}_`, dtype, 1));
    if (packed && pairs) words.push(`let ${name}_words = ${loose ? `${name}_Words(pair)` : `${name}_[pair]`};`);
    if (loose && half) functions.add(looseWords(`${name}_`));
    const places = ["e.x", "e.y", "e.z", "e.w"] as const;
    const elements = numbers
      ? `vec4<f32>(${places.map((e) => `${name}_At(${e})`).join(", ")})`
      : gather(`${name}_`, places, dtype);
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
export function halvesOf({ pairs, loose }: Pick<ReduceShares, "pairs" | "loose">): ReduceSource {
  return {
    buffers: { x_: { ref: { input: 0 }, type: `vec${pairs ? 4 : 2}<u32>`, access: "read" } },
    uniforms: {},
    prelude: loose ? looseWords("x_") : "",
    words: pairs ? `let words = ${loose ? "x_Words(pair)" : "x_[pair]"};` : "",
    statements(side) {
      const read = pairs ? `words.${["xy", "zw"][side]}` : "x_[i]";
      return `let both = ${read};
      let bits = vec4<u32>(both.x << 16u, both.x, both.y << 16u, both.y);`;
    },
  };
}

/**
 * Returns WGSL of a function `<name>Words` that reads the words of eight f16 of a window, from number `n` on: they begin
 * within one vector of words and end in the next. Selecting components takes less time than reading words one by one.
 */
function looseWords(name: string): string {
  return `fn ${name}Words(n: u32) -> vec4<u32> {
  let a = ${name}[n / 8u];
  let b = ${name}[n / 8u + 1u];
  let byTwo = n % 8u >= 4u;
  let four = select(a, vec4<u32>(a.zw, b.xy), byTwo);
  let two = select(b.xy, b.zw, byTwo);
  let byOne = n % 4u >= 2u;
  let even = select(four, vec4<u32>(four.yzw, two.x), byOne);
  let last = select(two.x, two.y, byOne);
  let odd = (even >> vec4<u32>(16u)) | (vec4<u32>(even.yzw, last) << vec4<u32>(16u));
  return select(even, odd, n % 2u == 1u);
}`;
}
