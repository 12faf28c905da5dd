import { z } from "zod";

const ms = z.number().nullable();

/** Result of `tacho attach` for one device of a program. Times are in ms; fields that are not listed pass through. */
export const attachedDeviceSchema = z.looseObject({
  adapter: z.string(),
  /** Mean account of the timed steps; null without usable timestamps. */
  account: z.looseObject({
    wall: z.number(),
    kernels: z.number(),
    /** Idle time of the device by cause. */
    idle: z.record(z.string(), z.number()),
  }).nullable(),
  /** Median counts and times of a step; null without steps. */
  perStep: z.record(z.string(), z.number()).nullable(),
  kernels: z.array(z.looseObject({
    name: z.string(),
    calls: z.int(),
    perStep: z.number().nullable(),
    total: ms,
    median: ms,
    share: z.number().nullable(),
  })),
  advice: z.array(z.looseObject({
    kind: z.string(),
    message: z.string(),
    fix: z.string(),
    mostMs: z.number(),
    share: z.number(),
  })),
});

/** Result of `tacho attach` for a program, from a run after the measured blocks. */
export const attachedSchema = z.looseObject({
  kind: z.literal("attach"),
  schemaVersion: z.literal(1),
  devices: z.array(attachedDeviceSchema),
  complete: z.boolean(),
  notes: z.array(z.string()),
});

export type AttachedProgram = z.infer<typeof attachedSchema>;
