import { z } from "zod";

const count = z.int().nonnegative().nullable();
const perStep = z.number().nonnegative().nullable();

/** A kernel of a step. */
export const exactKernelSchema = z.strictObject({
  /** Family and variant. */
  name: z.string(),
  /** First 12 hexadecimal digits of the SHA-256 of its WGSL and bindings. */
  hash: z.string().regex(/^[0-9a-f]{12}$/),
  dispatches: z.int().positive(),
});

/**
 * Counts of a step that do not depend on time or load: the same code, settings and class of adapter give the same counts.
 * Each is null where it is unknown.
 */
export const exactSchema = z.strictObject({
  dispatches: count,
  /** Distinct compute pipelines that the step dispatches. */
  pipelines: count,
  /** Distinct buffers that its dispatches bind. */
  buffers: count,
  /** Floating-point operations; a multiply-add counts as two. */
  flops: z.number().nonnegative().nullable(),
  /** Minimum number of bytes that its ops read and write. */
  bytes: z.number().nonnegative().nullable(),
  /**
   * Peak of device memory in bytes: as planned, or of a program's buffers and textures up to the end of its sixth step, with
   * those that it leaves to the garbage collector. Null in results of earlier versions.
   */
  peakBytes: count.default(null),
  /** Kernels by hash, sorted; null if unknown. */
  kernels: z.array(exactKernelSchema).nullable(),
  /** Submissions per step over the measured blocks. Submissions that only split long sinks are not counted. */
  submits: perStep,
  /** Waits for the device per step, counted like `submits`. */
  waits: perStep,
  readbacks: perStep,
  readbackBytes: perStep,
  uploads: perStep,
  uploadBytes: perStep,
  /** Copies between buffers on the device, readbacks included. */
  copies: perStep,
  copyBytes: perStep,
  /** Buffers created per step. */
  newBuffers: perStep,
});

export type ExactCounts = z.infer<typeof exactSchema>;
export type ExactKernel = z.infer<typeof exactKernelSchema>;
