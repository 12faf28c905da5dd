/**
 * Reads through uniform bindings, for software adapters. Lavapipe passes every number that it loads from a storage buffer
 * through memory to insert it into a vector (2 to 7 ns), but gathers numbers of uniform buffers in registers (0.3 ns). A
 * uniform binding holds at most 64 KiB: a kernel that reads a larger tensor is dispatched for each of its windows.
 *
 * @module
 */
import { DTYPE_BYTES, type FloatType } from "../../runtime/core/dtype.ts";
import { type BufferDeclaration, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { FloatBuffer } from "./float_buffer.ts";

/** Alignment in bytes of bindings whose offset moves: WebGPU's default limit. */
export const SLICE_ALIGNMENT = 256;

/** Part of a kernel's items, such as images, that one dispatch computes. */
export interface Slicing {
  /** Items per dispatch. */
  readonly items: number;
  readonly dispatches: number;
}

/**
 * Divides `count` items into equal parts whose windows fit uniform bindings. Returns null if that is impossible.
 *
 * @param read bytes of an item in each tensor that is read
 * @param written bytes of an item in each tensor that is written
 */
export function sliced(count: number, read: readonly number[], written: readonly number[]): Slicing | null {
  const most = Math.min(count, ...read.map((bytes) => Math.floor(WINDOW_BYTES / bytes)));
  for (let items = most; items > 0; items--) {
    if (count % items !== 0) continue;
    const aligned = items === count || [...read, ...written].every((bytes) => items * bytes % SLICE_ALIGNMENT === 0);
    const whole = read.every((bytes) => items * bytes % 16 === 0);
    if (aligned && whole) return { items, dispatches: count / items };
  }
  return null;
}

/** Returns the largest divisor of `n` that is at most `most`. */
export function largestDivisor(n: number, most: number): number {
  let divisor = Math.min(n, most);
  while (n % divisor !== 0) divisor--;
  return divisor;
}

/** Returns the bytes of `numbers` numbers. */
export function bytesOfNumbers(numbers: number, dtype: FloatType): number {
  return numbers * DTYPE_BYTES[dtype];
}

/** Declares a tensor of which each dispatch reads a window of `bytes`. */
export function windowOf({ ref, dtype }: FloatBuffer, bytes: number): BufferDeclaration {
  return { ref, type: dtype === "f32" ? "vec4<f32>" : "vec4<u32>", access: "uniform", window: bytes };
}

/**
 * Returns WGSL for a function `NAMEAt` that reads `width` numbers of a window as f32. Its argument is their index in units
 * of `width`.
 */
export function windowReader(name: string, dtype: FloatType, width: 1 | 2 | 4): string {
  const type = width === 1 ? "f32" : `vec${width}<f32>`;
  const vector = width === 4 ? "i" : `i / ${4 / width}u`;
  const f32 = width === 4 ? `return ${name}[i];` : width === 2
    ? `let at = i % 2u * 2u;
  return vec2<f32>(${name}[${vector}][at], ${name}[${vector}][at + 1u]);`
    : `return ${name}[${vector}][i % 4u];`;
  // A vector of four words holds eight f16
  const f16 = width === 4
    ? `let words = ${name}[i / 2u];
  let pair = select(words.xy, words.zw, i % 2u == 1u);
  return vec4<f32>(unpack2x16float(pair.x), unpack2x16float(pair.y));`
    : width === 2
    ? `return unpack2x16float(${name}[i / 4u][i % 4u]);`
    : `let pair = unpack2x16float(${name}[i / 8u][i / 2u % 4u]);
  return select(pair.x, pair.y, i % 2u == 1u);`;
  return `fn ${name}At(i: u32) -> ${type} {
  ${dtype === "f32" ? f32 : f16}
}`;
}
