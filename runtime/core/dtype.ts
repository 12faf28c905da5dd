/** Element types of tensors on the device. */
export type DType = "f32" | "f16" | "i32" | "u32";

/** Element types that gradients flow through. */
export type FloatType = "f32" | "f16";

/** Bytes per element. */
export const DTYPE_BYTES: Readonly<Record<DType, number>> = { f32: 4, f16: 2, i32: 4, u32: 4 };

export function isFloat(dtype: DType): dtype is FloatType {
  return dtype === "f32" || dtype === "f16";
}
