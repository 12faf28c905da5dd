/**
 * Reasons for a kernel or a render pass without times.
 *
 * - `none`: the device has no timestamp queries
 * - `clock`: the device's clock does not show its time
 * - `own`: the render pass carries timestamps of the program
 * - `unread`: the program ended before the timestamps were read
 * - `outside`: it ran only outside of the timed steps
 */
export const UNTIMED = ["none", "clock", "own", "unread", "outside"] as const;

/** Reason for a kernel or a render pass without times. */
export type Untimed = (typeof UNTIMED)[number];
