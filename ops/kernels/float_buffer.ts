import type { FloatType } from "../../runtime/core/dtype.ts";
import type { BufferRef, Epilogue } from "../../runtime/device/kernel.ts";

/** A buffer with the type of its elements. */
export interface FloatBuffer {
  readonly ref: BufferRef;
  readonly dtype: FloatType;
  /** The input that an output takes the place of, in kernels that read this input at the places where they write. */
  readonly over?: BufferRef;
  /** Applied to what is stored in it, before that is rounded. */
  readonly epilogue?: Epilogue | undefined;
}
