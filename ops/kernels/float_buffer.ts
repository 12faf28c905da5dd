import type { FloatType } from "../../runtime/core/dtype.ts";
import type { BufferRef, Epilogue } from "../../runtime/device/kernel.ts";

/** A buffer with float elements. */
export interface FloatBuffer {
  readonly ref: BufferRef;
  readonly dtype: FloatType;
  /** Input that this output overwrites, in kernels that read the input where they write. */
  readonly over?: BufferRef;
  /** Applied to stored values before rounding. */
  readonly epilogue?: Epilogue | undefined;
}
