/**
 * Code that reads and writes the same place in several tensors. A place holds a number, a vector of four, or two
 * vectors of four. The last is for f16 on software adapters, which load and store each number separately: a `vec4<u32>`
 * holds eight f16 and costs as much as a `vec4<f16>`.
 *
 * @module
 */
import type { BufferDeclaration, BufferRef } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, load, store } from "./access.ts";
import { HIDDEN_ZERO, PACK_F16, UNPACK_F16 } from "./half_words.ts";

/** Numbers per place. */
export type PlaceWidth = 1 | 4 | 8;

/** WGSL for a vector, or a function of the vector's number if the code differs between the two vectors of a place. */
export type PlaceText = string | ((half: 0 | 1) => string);

export interface PlaceOptions {
  readonly width: PlaceWidth;
  /** Expression for the index of the place. */
  readonly place: string;
  /** Tensors to read. The buffer's variable is the name with `_` appended; the name is the f32 value in the code. */
  readonly reads: Readonly<Record<string, FloatBuffer>>;
  /** Tensors to write, named likewise, each with the expression of its value. */
  readonly writes: Readonly<Record<string, FloatBuffer & { readonly value: PlaceText }>>;
  /**
   * Statements before the values are computed, in terms of `i`, the index of this number or vector of four. Each of two
   * vectors has its own copy in its own block.
   */
  readonly statements: PlaceText;
  /** Expression for the number of vectors of four, given if the second vector of the last place may be past the end. */
  readonly vectors?: string;
}

/** Returns the declarations that {@linkcode placeCode} needs at module scope. */
export function placePrelude({ width, reads, writes }: Pick<PlaceOptions, "width" | "reads" | "writes">): string {
  if (width !== 8) return "";
  const some = (buffers: Readonly<Record<string, FloatBuffer>>) =>
    Object.values(buffers).some(({ dtype }) => dtype === "f16");
  return [...some(reads) ? [UNPACK_F16] : [], ...some(writes) ? [PACK_F16] : []].join("\n");
}

/** Returns true if tensors of these types are read eight numbers at a time. */
export function inPairs(buffers: Readonly<Record<string, Pick<FloatBuffer, "dtype">>>, traits: DeviceTraits): boolean {
  return traits.class === "cpu" && Object.values(buffers).some(({ dtype }) => dtype === "f16");
}

/** Declares the tensors that {@linkcode placeCode} reads and writes. */
export function declarePlaces({ width, reads, writes }: Pick<PlaceOptions, "width" | "reads" | "writes">) {
  const declared: Record<string, BufferDeclaration> = {};
  for (const [name, { ref, dtype }] of Object.entries(reads)) {
    declared[`${name}_`] = { ref, type: typeAt(dtype, width), access: "read" };
  }
  for (const [name, { ref, dtype }] of Object.entries(writes)) {
    const target = targetOf(name, reads, writes);
    declared[`${name}_`] = { ref, type: typeAt(dtype, width), ...target === `${name}_` ? {} : { over: target } };
  }
  return declared;
}

/** Returns the variable to which a tensor is written; an output that overwrites an input uses the input's variable. */
function targetOf(name: string, reads: PlaceOptions["reads"], writes: PlaceOptions["writes"]): string {
  const { over, dtype } = writes[name]!;
  const replaced = over === undefined ? [] : Object.keys(reads).filter((read) => sameRef(reads[read]!.ref, over));
  return replaced.length === 1 && reads[replaced[0]!]!.dtype === dtype ? `${replaced[0]}_` : `${name}_`;
}

function sameRef(a: BufferRef, b: BufferRef): boolean {
  return "input" in a && "input" in b && a.input === b.input;
}

/** Returns statements that read, compute and write a place. */
export function placeCode({ width, place, reads, writes, statements, vectors }: PlaceOptions): string {
  const inputs = Object.entries(reads);
  const outputs = Object.entries(writes);
  if (width !== 8) {
    return [
      ...(place === "i" ? [] : [`let i = ${place};`]),
      ...inputs.map(([name, { dtype }]) => `let ${name} = ${load(`${name}_`, "i", dtype, width)};`),
      textOf(statements, 0),
      ...outputs.map(([name, { dtype, value }]) =>
        store(targetOf(name, reads, writes), "i", textOf(value, 0), { dtype }, width)
      ),
    ].join("\n    ");
  }
  const packedInputs = inputs.filter(([, { dtype }]) => dtype === "f16");
  const packedOutputs = outputs.filter(([, { dtype }]) => dtype === "f16");
  const half = (h: 0 | 1) => {
    const words = h === 0 ? "xy" : "zw";
    const read = inputs.map(([name, { dtype }]) =>
      `let ${name} = ${dtype === "f32" ? `${name}_[i]` : `unpackF16(${name}_words.${words}, ${HIDDEN_ZERO})`};`
    );
    const written = outputs.map(([name, { dtype, value }]) => {
      if (dtype === "f16") return `${name}_half${h} = packF16(${textOf(value, h)});`;
      const stored = store(targetOf(name, reads, writes), "i", textOf(value, h), { dtype: "f32" }, 4);
      return h === 1 && vectors !== undefined ? `if (i < ${vectors}) { ${stored} }` : stored;
    });
    return `{
      let i = pair * 2u + ${h}u;
      ${[...read, textOf(statements, h), ...written].join("\n      ")}
    }`;
  };
  return [
    `let pair = ${place};`,
    ...packedInputs.map(([name]) => `let ${name}_words = ${name}_[pair];`),
    ...packedOutputs.map(([name]) => `var ${name}_half0: vec2<u32>;\n    var ${name}_half1: vec2<u32>;`),
    half(0),
    half(1),
    ...packedOutputs.map(([name]) =>
      `${targetOf(name, reads, writes)}[pair] = vec4<u32>(${name}_half0, ${name}_half1);`
    ),
  ].join("\n    ");
}

/**
 * Returns {@linkcode placeCode} for several places whose reads overlap. Does not support width 8.
 *
 * @param before returns declarations for the statements of a place
 */
export function severalPlaces(
  { width, reads, writes, statements }: Omit<PlaceOptions, "place" | "vectors">,
  places: readonly string[],
  before: (n: number) => string = () => "",
): string {
  if (width === 8) throw new Error("Several places at once cannot have a width of 8");
  const inputs = Object.entries(reads);
  const outputs = Object.entries(writes);
  return [
    ...places.map((place, n) => `let i${n} = ${place};`),
    ...places.flatMap((_, n) =>
      inputs.map(([name, { dtype }]) => `let ${name}_${n} = ${load(`${name}_`, `i${n}`, dtype, width)};`)
    ),
    ...places.flatMap((_, n) => outputs.map(([name]) => `var ${name}_value${n}: ${elementType("f32", width)};`)),
    ...places.map((_, n) =>
      `{
      let i = i${n};${before(n)}
      ${
        [
          ...inputs.map(([name]) => `let ${name} = ${name}_${n};`),
          textOf(statements, 0),
          ...outputs.map(([name, { value }]) => `${name}_value${n} = ${textOf(value, 0)};`),
        ].join("\n      ")
      }
    }`
    ),
    ...places.flatMap((_, n) =>
      outputs.map(([name, { dtype }]) =>
        store(targetOf(name, reads, writes), `i${n}`, `${name}_value${n}`, { dtype }, width)
      )
    ),
  ].join("\n    ");
}

function textOf(text: PlaceText, half: 0 | 1): string {
  return typeof text === "string" ? text : text(half);
}

function typeAt(dtype: FloatBuffer["dtype"], width: PlaceWidth): string {
  if (width === 8) return dtype === "f16" ? "vec4<u32>" : "vec4<f32>";
  return elementType(dtype, width);
}
