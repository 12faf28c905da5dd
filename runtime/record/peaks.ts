/**
 * Peak throughput of an adapter, as plain data.
 *
 * @module
 */
import { z } from "zod";

/** Highest measured throughput of one kind of work, and the conditions of its measurement. */
export const peakSchema = z.strictObject({
  value: z.number().positive(),
  /** A multiply-add counts as two operations; a copied byte as one read and one written. */
  unit: z.enum(["FLOP/s", "bytes/s"]),
  /** Shape of the fastest kernel. */
  kernel: z.string(),
  /** Date of the measurement, ISO 8601. */
  date: z.iso.datetime(),
  /** CPU time of other processes during the measurement, as a fraction of all cores; null if unknown. */
  load: z.number().nonnegative().nullable(),
  /** Median time of the kernel's runs relative to the fastest, minus 1; null if unknown. */
  spread: z.number().nonnegative().nullable(),
});

/** Peaks measured on the adapter itself. */
export const peaksSchema = z.strictObject({
  clock: z.enum(["device", "host"]),
  /** Multiply-adds in registers. */
  f32: peakSchema,
  /** Peak in f16; null if the adapter does not support it. */
  f16: peakSchema.nullable(),
  /** Copies between buffers larger than most caches. */
  copy: peakSchema,
});

export type Peak = z.infer<typeof peakSchema>;
export type Peaks = z.infer<typeof peaksSchema>;
