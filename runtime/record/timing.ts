/**
 * Ways to time work on the device.
 *
 * - `host`: time to submit, without waiting for the device; what a script measures that forgets to wait
 * - `sync`: time until the device is done, with the host waiting
 * - `event`: the device's own timestamps, read later
 */
export const TIMINGS = ["host", "sync", "event"] as const;

/** Name of a timing method. */
export type Timing = (typeof TIMINGS)[number];
