/**
 * Reads of tensors whose elements are not in the order of a kernel's loop: broadcast, transposed and sliced operands. A
 * view gives the stride of the operand along each dimension of the loop.
 *
 * @module
 */
import { type DType, isFloat } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { physicalOrder } from "../../runtime/core/layout.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { UniformValue } from "../../runtime/device/kernel.ts";
import type { TensorType } from "../../runtime/graph/types.ts";

/** Strides, in elements, of a buffer along the dimensions of a loop, outermost first. */
export interface StridedView {
  readonly sizes: Shape;
  readonly strides: readonly number[];
  /** Element at the start of the loop. */
  readonly offset: number;
}

/** WGSL that reads a buffer through a view. */
export interface StridedRead {
  /** Element of the buffer's declaration, such as `vec4<f32>`. */
  readonly type: string;
  /** Uniforms that the functions read. */
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  /** Declarations at module scope; {@linkcode DIVISION} must precede them. */
  readonly functions: string;
}

/**
 * WGSL of exact division by a constant divisor: the high word of a product with a reciprocal, shifted (T. Granlund and
 * P. Montgomery, "Division by Invariant Integers using Multiplication", 1994). Software adapters divide vectors one
 * number at a time, which takes longer than reading memory. Dividends are below 2^31.
 */
export const DIVISION = `fn quotient4(n: vec4<u32>, reciprocal: u32, shift: u32) -> vec4<u32> {
  let low = n & vec4<u32>(0xffffu);
  let high = n >> vec4<u32>(16u);
  let a = low * (reciprocal >> 16u);
  let b = high * (reciprocal & 0xffffu);
  let carry = ((low * (reciprocal & 0xffffu)) >> vec4<u32>(16u)) + (a & vec4<u32>(0xffffu)) + (b & vec4<u32>(0xffffu));
  let product = high * (reciprocal >> 16u) + (a >> vec4<u32>(16u)) + (b >> vec4<u32>(16u)) + (carry >> vec4<u32>(16u));
  return product >> vec4<u32>(shift);
}
fn quotient(n: u32, reciprocal: u32, shift: u32) -> u32 {
  let low = n & 0xffffu;
  let high = n >> 16u;
  let a = low * (reciprocal >> 16u);
  let b = high * (reciprocal & 0xffffu);
  let carry = ((low * (reciprocal & 0xffffu)) >> 16u) + (a & 0xffffu) + (b & 0xffffu);
  return (high * (reciprocal >> 16u) + (a >> 16u) + (b >> 16u) + (carry >> 16u)) >> shift;
}`;

/** Returns the factor and the shift by which {@linkcode DIVISION} divides by `divisor`, at least 2 and below 2^31. */
export function reciprocalOf(divisor: number): { reciprocal: number; shift: number } {
  const bits = Math.ceil(Math.log2(divisor));
  const d = BigInt(divisor);
  return { reciprocal: Number(((1n << BigInt(31 + bits)) + d - 1n) / d), shift: bits - 1 };
}

/** Division by a constant that uniforms hold. */
export interface Divisor {
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  /** Returns WGSL of the quotient of `n`, a `u32`. {@linkcode DIVISION} must be declared. */
  by(n: string): string;
}

/** Largest dividend of {@linkcode DIVISION}. */
const LARGEST_DIVIDEND = 2 ** 31 - 1;

/** Rejects a tensor with more elements than {@linkcode DIVISION} can index. */
function checkDividends(elements: number): void {
  if (elements - 1 <= LARGEST_DIVIDEND) return;
  throw new InputError(
    `kernels that move or broadcast a tensor count to at most ${LARGEST_DIVIDEND}, got ${elements} elements. Lower ` +
      "loader.batchSize or the size of the layer",
  );
}

/**
 * Returns the division by `value`, at least 1, with uniforms whose names begin with `name`.
 *
 * @param elements number of elements whose indices are divided
 * @throws {InputError} if there are more than 2^31 of them
 */
export function divisorOf(name: string, value: number, elements: number): Divisor {
  checkDividends(elements);
  if (value === 1) return { uniforms: {}, by: (n) => `(${n})` };
  const { reciprocal, shift } = reciprocalOf(value);
  return {
    uniforms: { [`${name}Reciprocal`]: reciprocal, [`${name}Shift`]: shift },
    by: (n) => `quotient(${n}, u.${name}Reciprocal, u.${name}Shift)`,
  };
}

/** Returns the stride of each logical dimension of a tensor, in elements. */
export function stridesOf({ shape, layout }: TensorType): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  let stride = 1;
  for (const dimension of physicalOrder(shape, layout).toReversed()) {
    strides[dimension] = stride;
    stride *= shape[dimension]!;
  }
  return strides;
}

/**
 * Returns the view of a tensor that is broadcast to the shape of `over`, as NumPy broadcasts, in the order in which the
 * elements of `over` are stored.
 */
export function broadcastView(type: TensorType, over: Pick<TensorType, "shape" | "layout">): StridedView {
  const order = physicalOrder(over.shape, over.layout);
  const strides = broadcastStrides(type, over.shape);
  return simplified({
    sizes: order.map((dimension) => over.shape[dimension]!),
    strides: order.map((dimension) => strides[dimension]!),
    offset: 0,
  });
}

/** Returns the strides of a tensor along the dimensions of a shape that it is broadcast to. */
export function broadcastStrides(type: TensorType, shape: Shape): number[] {
  const own = stridesOf(type);
  const missing = shape.length - type.shape.length;
  return shape.map((_, d) => d < missing || type.shape[d - missing] === 1 ? 0 : own[d - missing]!);
}

/** Removes dimensions of size 1 and merges dimensions that are contiguous. */
export function simplified({ sizes, strides, offset }: StridedView): StridedView {
  const merged: { size: number; stride: number }[] = [];
  sizes.forEach((size, d) => {
    if (size === 1) return;
    const outer = merged.at(-1);
    const stride = strides[d]!;
    if (outer?.stride === stride * size) merged.splice(-1, 1, { size: outer.size * size, stride });
    else merged.push({ size, stride });
  });
  return { sizes: merged.map(({ size }) => size), strides: merged.map(({ stride }) => stride), offset };
}

/**
 * Returns WGSL of a function `name` from the index of a place in the loop to the index of an element in the buffer, both
 * of `type`.
 *
 * @throws {InputError} if the loop has more than 2^31 places
 */
export function addressOf(name: string, view: StridedView, type: "u32" | "vec4<u32>"): Omit<StridedRead, "type"> {
  const { sizes, strides, offset } = view;
  checkDividends(sizeOf(sizes));
  const uniforms: Record<string, UniformValue> = {};
  const lines: string[] = [];
  const vector = type === "vec4<u32>";
  const rank = sizes.length;
  lines.push(`var rest = index;`);
  if (offset === 0) lines.push(`var at = ${type}();`);
  else {
    uniforms[`${name}Offset`] = offset;
    lines.push(`var at = ${type}(u.${name}Offset);`);
  }
  for (let d = rank - 1; d > 0; d--) {
    const { reciprocal, shift } = reciprocalOf(sizes[d]!);
    Object.assign(uniforms, {
      [`${name}Reciprocal${d}`]: reciprocal,
      [`${name}Shift${d}`]: shift,
      [`${name}Size${d}`]: sizes[d]!,
      [`${name}Stride${d}`]: strides[d]!,
    });
    lines.push(
      `let outer${d} = ${vector ? "quotient4" : "quotient"}(rest, u.${name}Reciprocal${d}, u.${name}Shift${d});`,
      `at += (rest - outer${d} * u.${name}Size${d}) * u.${name}Stride${d};`,
      `rest = outer${d};`,
    );
  }
  if (rank > 0) {
    uniforms[`${name}Stride0`] = strides[0]!;
    lines.push(`at += rest * u.${name}Stride0;`);
  }
  return { uniforms, functions: `fn ${name}(index: ${type}) -> ${type} {\n  ${lines.join("\n  ")}\n  return at;\n}` };
}

/**
 * Returns WGSL of a function `<name>At(i: u32)` that reads the four elements of vector `i` of the loop. The vector's
 * surplus elements past the end are any elements.
 *
 * @param name variable of the buffer
 */
export function readVectors(name: string, dtype: DType, view: StridedView): StridedRead {
  const { sizes, strides, offset } = view;
  const read = `${name}At`;
  const place = `${name}Place`;
  const value = valueType(dtype);
  const inner = sizes.at(-1) ?? 1;
  const step = strides.at(-1) ?? 0;
  const outer = strides.slice(0, -1);
  if (strides.every((stride) => stride === 0)) {
    return {
      type: dtype,
      uniforms: {},
      functions: `fn ${read}(i: u32) -> ${value} { return ${value}(${element(dtype, `${name}[${offset}u]`)}); }`,
    };
  }
  if (inner % 4 === 0) {
    const whole = step === 1 && [...outer, offset].every((stride) => stride % 4 === 0);
    const unit = whole ? 4 : 1;
    const vectors = simplified({
      sizes: [...sizes.slice(0, -1), inner / 4],
      strides: [...outer.map((stride) => stride / unit), 4 * step / unit],
      offset: offset / unit,
    });
    const { uniforms, functions } = addressOf(place, vectors, "u32");
    if (whole) {
      return {
        type: `vec4<${dtype}>`,
        uniforms,
        functions: `${functions}\nfn ${read}(i: u32) -> ${value} { return ${value}(${name}[${place}(i)]); }`,
      };
    }
    const elements = [0, 1, 2, 3].map((j) => step === 0 ? `${name}[at]` : `${name}[at + ${j}u * u.${name}Step]`);
    return {
      type: dtype,
      uniforms: step === 0 ? uniforms : { ...uniforms, [`${name}Step`]: step },
      functions: `${functions}\nfn ${read}(i: u32) -> ${value} {\n  let at = ${place}(i);\n  return ${
        gathered(dtype, elements)
      };\n}`,
    };
  }
  const elements = readElements(name, dtype, view, `${name}Elements`);
  return {
    type: dtype,
    uniforms: { ...elements.uniforms, [`${name}Last`]: sizeOf(sizes) - 1 },
    functions: `${elements.functions}\nfn ${read}(i: u32) -> ${value} {
  return ${name}Elements(min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.${name}Last)));\n}`,
  };
}

/** Returns WGSL of a function `<name>At(e: vec4<u32>)` that reads four elements, given by their places in the loop. */
export function readElements(name: string, dtype: DType, view: StridedView, read = `${name}At`): StridedRead {
  const { uniforms, functions } = addressOf(`${name}Place`, view, "vec4<u32>");
  const elements = ["x", "y", "z", "w"].map((part) => `${name}[at.${part}]`);
  return {
    type: dtype,
    uniforms,
    functions: `${functions}\nfn ${read}(e: vec4<u32>) -> ${
      valueType(dtype)
    } {\n  let at = ${name}Place(e);\n  return ${gathered(dtype, elements)};\n}`,
  };
}

/** Returns the type of four values that are read: f32 for floats, the element type for integers. */
export function valueType(dtype: DType): string {
  return `vec4<${isFloat(dtype) ? "f32" : dtype}>`;
}

function gathered(dtype: DType, elements: readonly string[]): string {
  return `${valueType(dtype)}(${elements.map((text) => element(dtype, text)).join(", ")})`;
}

/** Returns the value of a single element. */
function element(dtype: DType, text: string): string {
  return dtype === "f16" ? `f32(${text})` : text;
}
