/**
 * What an adapter can do at most, as plain data.
 *
 * @module
 */
import { z } from "zod";

/** The fastest that an adapter was seen to do one thing. */
const peakSchema = z.strictObject({
  value: z.number().positive(),
  /** A multiply-add counts as two operations; a copied byte as one read and one written. */
  unit: z.enum(["FLOP/s", "bytes/s"]),
  /** The shape of the kernel that was fastest. */
  kernel: z.string(),
});

/** Peaks as measured on the adapter itself. */
export const peaksSchema = z.strictObject({
  /** When: ISO 8601. */
  date: z.iso.datetime(),
  clock: z.enum(["device", "host"]),
  /** Multiply-adds in registers. */
  f32: peakSchema,
  /** Null where the adapter has no f16. */
  f16: peakSchema.nullable(),
  /** Copies between buffers that are larger than most caches. */
  copy: peakSchema,
});

export type Peak = z.infer<typeof peakSchema>;
export type Peaks = z.infer<typeof peaksSchema>;
